(* An example that runs through all of Sem.v: y = slice_scatter(x, src[1:e], 0, 1, e); x.copy_(y); return -y, and the
   rewrite that scatters into x in place (docs/certificate.md). The checker accepts it; so what a caller sees is the same. *)
Require Import List ZArith NArith.
From NC Require Import Sem Poly Views Norm Follow Check Sound.
Import ListNotations.
Local Open Scope N_scope.

(* Numbers: 0 is s, the number of rows; 1 is e - 1, of the slice; 2 is 6, of columns; 3 is 0 and 4 is 1. *)
Definition consts : numbers := only_constants
  (PM.add (N.succ_pos 2) 6%Z (PM.add (N.succ_pos 3) 0%Z (PM.add (N.succ_pos 4) 1%Z (PM.empty Z)))).
Definition whole : list num := [0; 2].
Definition slice : imap := Aff whole [1; 2] [4; 3] [(0, 0, 4); (1, 1, 4)].   (* (i, j) of the slice is (1 + i, j) of x *)
Definition all_of (s : N) := View s 0 whole [].
Definition rows_of (s : N) := View s 0 [1; 2] [slice].

(* Steps: storage [to] becomes what [from] holds; the negation, key 1, of [from] goes into storage [to]. *)
Definition copy (to from : view) := Step Move 0 false [from] [to] [[AnyTime]] [] 0.
Definition negate (to from : view) := Step Opaque 1 true [from] [to] [[AnyTime]] [] 0.
Fixpoint table {A} (k : N) (l : list A) : PM.t A :=
  match l with [] => PM.empty A | x :: r => PM.add (N.succ_pos k) x (table (N.succ k) r) end.
(* x and src are given, by the keys 0 and 1; both are compared at exit. The rest is fresh. *)
Definition given (key : N) (writable : bool) := Storage 0 key whole writable true 64.
Definition new (key : N) := Storage undefined key whole true false 64.

Definition before : trace :=
  Trace (table 0 [given 0 true; given 1 true; new 2; new 3]) 4
    (table 0 [copy (all_of 2) (all_of 0); copy (rows_of 2) (rows_of 1); copy (all_of 0) (all_of 2);
              negate (all_of 3) (all_of 2)]) 4
    [(0, all_of 0); (1, all_of 1)] [Output (Some (all_of 3)) 0 None None] [] [] false [].
Definition after : trace :=
  Trace (table 0 [given 0 true; given 1 false; new 2]) 3
    (table 0 [copy (rows_of 0) (rows_of 1); negate (all_of 2) (all_of 0)]) 2
    [(0, all_of 0); (1, all_of 1)] [Output (Some (all_of 2)) 0 None None] [] [] false [].

Definition asked := Boundary false false true [].   (* a pair of graphs; sharing may not grow *)
(* The three lemmas of the certificate: storage 2 of [before] at time 1 is x of [after] at the beginning; after the slice
   was written at time 2 it is what x is at time 1; so both negations are of the same. *)
Definition lemmas : list lemma := [LSame 2 1 0 0; LWrite 2 2 0 1; LCall 3 1].

Example is_accepted : accepts consts [] asked false false before after lemmas 20 20 = true.
Proof. vm_compute. reflexivity. Qed.

(* A twin that clears the row instead of writing it is not. *)
Definition cleared : trace :=
  Trace (t_st after) 3 (table 0 [Step Fill 5 false [] [rows_of 0] [] [] 0; negate (all_of 2) (all_of 0)]) 2 (t_in after) (t_out after)
        [] [] false [].
Example is_refused : accepts consts [] asked false false before cleared lemmas 20 20 = false.
Proof. vm_compute. reflexivity. Qed.

(* For all numbers of rows, contents, negations and runs. *)
Theorem example_is_right : forall nv, numbers_hold nv consts ->
  forall V (op : ops V) mb ma, run nv V op before mb -> run nv V op after ma ->
  begin_alike V false before after (mb 0) (ma 0) -> right nv V asked before after mb ma.
Proof.
  intros nv Hc V op mb ma Rb Ra Bg.
  exact (accepted_is_right consts [] asked false false before after lemmas 20 20 is_accepted nv Hc V op mb ma (fun x y H => match H with end) Rb Ra Bg).
Qed.

(* Spelled out for the output: at each index both runs end with the same element. *)
Theorem example_output : forall nv, numbers_hold nv consts ->
  forall V (op : ops V) mb ma, run nv V op before mb -> run nv V op after ma ->
  begin_alike V false before after (mb 0) (ma 0) ->
  forall i, inbox nv whole i -> mb 4 3 i = ma 2 2 i.
Proof.
  intros nv Hc V op mb ma Rb Ra Bg i Hi.
  destruct (example_is_right nv Hc V op mb ma Rb Ra Bg) as (_ & _ & _ & (_ & Out) & _).
  destruct (Out 0%nat _ _ eq_refl eq_refl) as (_ & _ & _ & _ & E). exact (E i Hi).
Qed.

(* An identity: x * 1, where the 1 is written before, is x, for all operators of which that is so. Key 6 multiplies, key 5 is
   the scalar 1. *)
Definition times_one : list (term * term) := [(Apply Opaque 6 0 [0; 0] [Operand 0; Number 5 0], Operand 0%nat)].
Definition scaled : trace :=
  Trace (table 0 [given 0 true; new 1; new 2; new 3]) 4
    (table 0 [Step Fill 5 false [] [all_of 1] [] [] 0;
              Step Opaque 6 true [all_of 0; all_of 1] [all_of 2] [[AnyTime]; [AnyTime]] [] 0; negate (all_of 3) (all_of 2)]) 3
    [(0, all_of 0)] [Output (Some (all_of 3)) 0 None None] [] [] false [].
Definition unscaled : trace :=
  Trace (table 0 [given 0 true; new 1]) 2 (table 0 [negate (all_of 1) (all_of 0)]) 1
    [(0, all_of 0)] [Output (Some (all_of 1)) 0 None None] [] [] false [].
Example is_accepted_by_it : accepts consts times_one asked false false scaled unscaled [LSimple true 1 0] 20 20 = true.
Proof. vm_compute. reflexivity. Qed.
Example is_refused_without : accepts consts [] asked false false scaled unscaled [] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.
(* The twin whose operand is filled with another scalar is no instance. *)
Definition doubled : trace :=
  Trace (t_st scaled) 4 (table 0 [Step Fill 4 false [] [all_of 1] [] [] 0;
    Step Opaque 6 true [all_of 0; all_of 1] [all_of 2] [[AnyTime]; [AnyTime]] [] 0; negate (all_of 3) (all_of 2)]) 3
    (t_in scaled) (t_out scaled) [] [] false [].
Example is_no_instance : accepts consts times_one asked false false doubled unscaled [LSimple true 1 0] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.

(* A cast there and back is nothing: types 0 and 1, step 0 casts x to type 1, step 1 casts that back. *)
Definition there_and_back_ : list (term * term) := [(Apply Move 0 0 [1] [Apply Move 0 1 [0] [Operand 0]], Operand 0%nat)].
Definition wide (s : N) := View s 1 whole [].
Definition cast_twice : trace :=
  Trace (t_st scaled) 4 (table 0 [copy (wide 1) (all_of 0); copy (all_of 2) (wide 1); negate (all_of 3) (all_of 2)]) 3
    (t_in scaled) (t_out scaled) [] [] false [].
Example casts_are_left_out : accepts consts there_and_back_ asked false false cast_twice unscaled [LSimple true 1 0] 20 20 = true.
Proof. vm_compute. reflexivity. Qed.
Example casts_are_not : accepts consts [] asked false false cast_twice unscaled [] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.

(* Chains of maps in normal form: transposing twice is nothing, and so is a reshape there and back. *)
Definition turn (from to : list num) : imap := Aff from to [3; 3] [(0, 1, 4); (1, 0, 4)].
Example twice_is_nothing : norm (knows_of consts) [turn [0; 2] [2; 0]; turn [2; 0] [0; 2]] = [].
Proof. vm_compute. reflexivity. Qed.
Example there_and_back : norm (knows_of consts) [Resh [0] [1; 2] [(1, 2)]; Resh [1; 2] [0] [(2, 1)]] = [].
Proof. vm_compute. reflexivity. Qed.
