(* The checker as OCaml. No arithmetic of OCaml is used in it. *)
From NC Require Import Sem Views Check.
Require Import ExtrOcamlBasic.
Set Warnings "-extraction-opaque-accessed".
Extraction Language OCaml.
Extraction "core.ml" accepts.
