(* Steps with bodies at work: each word of Bodies.v. Key 9 is an operator with one body, which negates what it is given, before by
   way of a copy. How often it runs it, and on what, is open. *)
Require Import List ZArith NArith Bool Lia.
From NC Require Import Sem Poly Check Bodies BodiesRight Refute RefuteRight Example Words.
Import ListNotations.
Local Open Scope N_scope.

Definition by_way_of_copy : trace :=
  Trace (table 0 [given 0 true; new 1; new 2]) 3 (table 0 [negate (all_of 1) (all_of 0); copy (all_of 2) (all_of 1)]) 2
    [(0, all_of 0)] [Output (Some (all_of 2)) 0 None None] [] [] false [].
Definition loop : trace :=
  Trace (table 0 [given 0 true; new 1]) 2 (table 0 [Step Opaque 9 false [all_of 0] [all_of 1] [[AnyTime]] [] 0]) 1
    [(0, all_of 0)] [Output (Some (all_of 1)) 0 None None] [] [] false [].
Definition bodies : PM.t (list nat) := PM.add (N.succ_pos 9) [0%nat] (PM.empty _).
Definition body_pair := Item asked by_way_of_copy unscaled [] [LCall 0 0] false.
Definition loop_pair := Item asked loop loop [] [LCall 0 0] false.
Example loop_accepted : accepts_all consts bodies [body_pair; loop_pair] 20 20 = true. Proof. vm_compute. reflexivity. Qed.
(* twins: a body that copies; a body that stands behind the loop; a body that is a graph beside itself; a loop that is an operator of elements *)
Definition copies : trace := Trace (t_st unscaled) 2 (table 0 [copy (all_of 1) (all_of 0)]) 1 (t_in unscaled) (t_out unscaled) [] [] false [].
Example another_body : accepts_all consts bodies [Item asked by_way_of_copy copies [] [] false; loop_pair] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.
Example body_behind : accepts_all consts (PM.add (N.succ_pos 9) [1%nat] (PM.empty _)) [loop_pair; body_pair] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.
Definition beside_itself := Item (Boundary true false true []) unscaled unscaled [] [LCall 0 0] false.
Example body_alone : accepts_all consts bodies [beside_itself; loop_pair] 20 20 = false. Proof. vm_compute. reflexivity. Qed.
Definition each : trace := Trace (t_st loop) 2 (table 0 [Step Opaque 9 true [all_of 0] [all_of 1] [[AnyTime]] [] 0]) 1
    (t_in loop) (t_out loop) [] [] false [].
Example of_elements : accepts_all consts bodies [body_pair; Item asked each each [] [LCall 0 0] false] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.

(* In words. What a body does is a relation between what it is given and what it leaves. *)
Example head_of_rows : head_of sizes (Output (Some (rows_of 1)) 0 None None) = (0, Some (0, [1; 2]%Z)). Proof. reflexivity. Qed.
Example what_it_leaves : forall nv V op (e : entry V) (r : outcome V) m, (does nv V op unscaled : behaviour V) e r ->
  run nv V op unscaled m -> enters V unscaled (m 0) e -> leaves nv V unscaled (m 1) r.
Proof. intros nv V op e r m D. exact (D m). Qed.
Example one_behaviour : forall V (p : behaviour V), does_the_same V p p. Proof. intros V p e r. tauto. Qed.
(* What a loop makes of bodies that do the same is the same: one that makes a constant is such a loop. *)
Example a_constant : depends_on_behaviour Z (fun key ps outs ins slot i => 7%Z). Proof. intros key ps qs _ outs ins slot i. reflexivity. Qed.
(* The theorem, of this loop: for all numbers of rows and contents, and all that key 9 may make of a body. *)
Theorem loop_is_right : forall nv, numbers_hold nv consts -> forall V make, depends_on_behaviour V make -> forall p q : ops V,
  runs_bodies nv V make bodies (fun j => match j with 0%nat => by_way_of_copy | _ => loop end) p ->
  runs_bodies nv V make bodies (fun j => match j with 0%nat => unscaled | _ => loop end) q -> same_but_for_bodies V bodies p q ->
  stays_inside nv by_way_of_copy -> stays_inside nv unscaled -> stays_inside nv loop ->
  forall mb ma, run nv V p loop mb -> run nv V q loop ma -> begin_alike V false loop loop (mb 0) (ma 0) -> right nv V asked loop loop mb ma.
Proof.
  intros nv T V make M p q Pb Qb S Ib Ia Il mb ma.
  apply (accepted_with_bodies_is_right consts bodies [body_pair; loop_pair] 20 20 loop_accepted nv T V make M p q loop) with (x := loop_pair); auto.
  - intros key js G. unfold bodies in G. destruct (N.eq_dec key 9) as [->|D].
    + inversion G; subst js. apply (Pb 9 [0%nat]). reflexivity.
    + unfold get in G. rewrite PM.gso, PM.gempty in G by (intro E; apply D, Latest.succ_pos_inj; auto). discriminate.
  - intros key js G. unfold bodies in G. destruct (N.eq_dec key 9) as [->|D].
    + inversion G; subst js. apply (Qb 9 [0%nat]). reflexivity.
    + unfold get in G. rewrite PM.gso, PM.gempty in G by (intro E; apply D, Latest.succ_pos_inj; auto). discriminate.
  - intros x [<-|[<-|[]]] _; split; auto.
  - intros x [<-|[<-|[]]] ? ? [].
  - simpl. auto.
Qed.

(* A refutation: of 3 rows one is written; where it should be that of src, the twin of Example.v clears it. At element (1, 0) of the
   output both are negations, and their operands there differ: one element of src, and a scalar. *)
Definition three_rows : PM.t Z := table 0 [3; 1; 2; 0; 1]%Z.
Definition small_table : numbers := only_constants (PM.add (N.succ_pos 3) 0%Z (PM.add (N.succ_pos 4) 1%Z (PM.empty Z))).
Example cleared_refuted : refutes small_table three_rows asked before cleared (Value 0 [1; 0]%Z [(0%nat, [])]) 20 = true.
Proof. vm_compute. reflexivity. Qed.
Theorem cleared_is_broken : exists nv, numbers_hold nv small_table /\ (breaks nv before cleared \/ breaks_a_rule nv asked before cleared).
Proof. exact (refuted_is_broken _ _ _ _ _ _ _ cleared_refuted). Qed.
(* twins: another element; the pair that is right; sizes that are not those of the table; an element that is none *)
Example not_there : refutes small_table three_rows asked before cleared (Value 0 [2; 0]%Z [(0%nat, [])]) 20 = false. Proof. vm_compute. reflexivity. Qed.
Example not_of_what_is_right : refutes small_table three_rows asked before after (Value 0 [1; 0]%Z [(0%nat, [])]) 20 = false.
Proof. vm_compute. reflexivity. Qed.
Example not_of_other_sizes : refutes consts three_rows asked before cleared (Value 0 [1; 0]%Z [(0%nat, [])]) 20 = false. Proof. vm_compute. reflexivity. Qed.
Example not_outside : refutes small_table three_rows asked before cleared (Value 0 [3; 0]%Z [(0%nat, [])]) 20 = false. Proof. vm_compute. reflexivity. Qed.
(* whatever the contents: x is returned where its negation was; src is written, which it may not be *)
Example shares_now : refutes small_table three_rows asked (returns (all_of 1)) (returns (all_of 0)) (SharesInput false 0 0 [0; 0]%Z [0; 0]%Z) 20 = true.
Proof. vm_compute. reflexivity. Qed.
Example shared_before : refutes small_table three_rows asked (returns (all_of 0)) (returns (all_of 0)) (SharesInput false 0 0 [0; 0]%Z [0; 0]%Z) 20 = false.
Proof. vm_compute. reflexivity. Qed.
Definition into_source : trace := Trace (t_st after) 3 (table 0 [copy (rows_of 1) (rows_of 0); negate (all_of 2) (all_of 0)]) 2 (t_in after) (t_out after) [] [] false [].
Example may_not_be_written : refutes small_table three_rows asked before into_source (Store 0) 20 = true. Proof. vm_compute. reflexivity. Qed.
Example may_be_written : refutes small_table three_rows asked before after (Store 0) 20 = false. Proof. vm_compute. reflexivity. Qed.
