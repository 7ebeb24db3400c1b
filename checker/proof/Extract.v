(* The checker as OCaml. No arithmetic of OCaml is used in it. *)
From NC Require Import Sem Views Places Follow Points Check.
Require Import ExtrOcamlBasic.
Set Warnings "-extraction-opaque-accessed".
Extraction Language OCaml.
Extraction "core.ml" accepts learn index_of output_ok exit_ok frame_ok key_map all_storages store_ok cleans points_of steps_ok unique_keys inputs_ok
  names_ok places_ok orders_ok sharing_input sharing_pair bounds_chk storage_chk.
