(* The checker as OCaml. No arithmetic of OCaml is used in it. *)
From NC Require Import Sem Poly Views Norm Follow Points Places Sharing Check BodiesRight Refute.
Require Import ExtrOcamlBasic.
Set Warnings "-extraction-opaque-accessed".
Extraction Language OCaml.
Extraction "core.ml" accepts accepts_all refutes only_constants learn index_of output_ok exit_ok frame_ok key_map all_storages store_ok cleans points_of steps_ok inputs_ok knows_of
  names_ok places_ok orders_ok sharing_ok bounds_chk storage_chk.
