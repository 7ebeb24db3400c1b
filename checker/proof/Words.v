(* Each word of Sem.v at work, in the order in which they stand there; to be read beside it. Where Example.v speaks of all
   sizes, here a slice has numbers: 0 is 3, the rows; 1 is 1, of the slice; 2 is 2, of columns; 3 is 0, 4 is 1, 5 is 6, 6 is 100. *)
Require Import List ZArith NArith Bool Lia.
From NC Require Import Sem Poly Views Latest Maps Norm Follow Points Places Sharing Check Sound Progress Example.
Import ListNotations.
Local Open Scope N_scope.

Definition sizes (k : num) : Z := nth (N.to_nat k) [3; 1; 2; 0; 1; 6; 100]%Z 0%Z.
Definition twice_less_one : sums := [(2%Z, [0; 1]); ((-1)%Z, [])].   (* 2 * 3 * 1 - 1 *)
Example a_product : product_value sizes [0; 1] = 3%Z. Proof. reflexivity. Qed.
Example a_sum : sum_value sizes twice_less_one = 5%Z. Proof. reflexivity. Qed.
(* s is number 0 and at least 1; the others are 2 s, 0, 1 and s - 1: [0, s) and [s, 2 s) are apart, from s - 1 on they are not. *)
Definition halves : numbers := Numbers (table 1 [[(2%Z, [0])]; []; [(1%Z, [])]; [(1%Z, [0]); ((-1)%Z, [])]]) (table 0 [1%Z]) (PM.empty Z).
Definition half (start : num) : imap := Aff [1] [0] [start] [(0, 0, 3)].
Example halves_apart : maps_apart (knows_of halves) [1] [half 2] [half 0] = true. Proof. reflexivity. Qed.
Example halves_meet : maps_apart (knows_of halves) [1] [half 2] [half 4] = false. Proof. reflexivity. Qed.
Definition known : numbers := only_constants (table 0 [3; 1; 2; 0; 1; 6; 100]%Z).

(* --- index spaces and maps: [whole] is 3 x 2, [slice] is its row 1 --- *)
Example a_range : range 3 = [0; 1; 2]%Z. Proof. reflexivity. Qed.
Example a_box : box [2; 2]%Z = [[0; 0]; [0; 1]; [1; 0]; [1; 1]]%Z. Proof. reflexivity. Qed.
Example a_factor : factor_part sizes [0; 1]%Z 1 (1, 1, 4) = 1%Z. Proof. reflexivity. Qed.
Example a_dimension : affine_at sizes [(0, 0, 4); (1, 1, 4)] [0; 1]%Z 0 4 = 1%Z. Proof. reflexivity. Qed.
Example a_place : affine sizes [(0, 0, 4); (1, 1, 4)] [0; 1]%Z 0 [4; 3] = [1; 1]%Z. Proof. reflexivity. Qed.
Example a_position : flat [3; 2]%Z [2; 1]%Z 0 = 5%Z. Proof. reflexivity. Qed.
Example a_position_back : unflat [3; 2]%Z 5 = [2; 1]%Z /\ unflat_rev [2; 3]%Z 5 = [1; 2]%Z. Proof. split; reflexivity. Qed.
Example a_reshape : reshaped [6]%Z [3; 2]%Z [(1, 2)] 0 0 [2; 1]%Z = [5]%Z. Proof. reflexivity. Qed.
Example a_map : mapfun sizes slice [0; 1]%Z = [1; 1]%Z /\ mapfun sizes (Resh [5] whole [(1, 2)]) [2; 1]%Z = [5]%Z.
Proof. split; reflexivity. Qed.
Example a_root : root sizes [Resh [5] whole [(1, 2)]; slice] [0; 1]%Z = [3]%Z. Proof. reflexivity. Qed.
Example of_whole : inbox sizes whole [2; 1]%Z /\ ~ inbox sizes whole [3; 1]%Z.
Proof. unfold inbox. simpl. split; [auto 10 | intuition discriminate]. Qed.
Example it_lands : lands sizes whole [slice] [0; 1]%Z /\ to_of slice = [1; 2].
Proof. split; [|reflexivity]. unfold lands, inbox. simpl. auto 10. Qed.

(* --- contents and operators: integers; key 1 negates, key 6 multiplies, key 9 adds up all that it reads --- *)
Definition ten (s : N) (c : list Z) : Z := (100 * Z.of_N s + 10 * nth 0 c 0 + nth 1 c 0)%Z.
Definition contents : mem Z := ten.
Definition add_up (xs : list Z) : Z := fold_right Z.add 0%Z xs.
Definition arithmetic : ops Z := {|
  o_opaque := fun _ _ reads _ _ => add_up (map (fun r => add_up (snd r)) reads);
  o_each := fun key _ _ _ xs => match key, xs with 1, [x] => (- x)%Z | 6, [x; y] => (x * y)%Z | _, _ => 0%Z end;
  o_fill := fun key _ => if N.eqb key 5 then 1%Z else 0%Z |}.
Example a_value : value Z arithmetic (fun _ => 7%Z) (Apply Opaque 6 0 [0; 0] [Operand 0; Number 5 0]) = 7%Z.
Proof. reflexivity. Qed.
Example times_one_holds : identities_hold Z arithmetic times_one.
Proof. intros x y [E|[]] vs. inversion E; subst. cbn. lia. Qed.
Example its_shape : shape_of before 0 = whole. Proof. reflexivity. Qed.
Example an_element : elem sizes Z contents (rows_of 2) [0; 1]%Z = 211%Z. Proof. reflexivity. Qed.
Example an_operand : operand sizes Z contents (rows_of 2) = (0, [1; 2]%Z, [210; 211]%Z). Proof. reflexivity. Qed.
Example is_moved : result sizes Z arithmetic (copy (rows_of 2) (rows_of 1)) contents 0 [0; 1]%Z = 111%Z. Proof. reflexivity. Qed.
Example is_negated : result sizes Z arithmetic (negate (all_of 3) (all_of 2)) contents 0 [1; 1]%Z = (-211)%Z. Proof. reflexivity. Qed.
Definition sum_row := Step Opaque 9 false [rows_of 1] [all_of 3] [[BeforeWrite]] [] 0.
Example is_added_up : result sizes Z arithmetic sum_row contents 0 [0; 0]%Z = 221%Z. Proof. reflexivity. Qed.
Example is_filled : result sizes Z arithmetic (Step Fill 5 false [] [all_of 3] [] [] 0) contents 0 [0; 0]%Z = 1%Z. Proof. reflexivity. Qed.

(* --- steps --- *)
Definition of_each_kind : list (kind * step) :=
  map (fun s => (s_kind s, s)) [copy (all_of 2) (all_of 0); Step Fill 5 false [] [all_of 3] [] [] 0; sum_row].
Example one_cell : holds_cell sizes (rows_of 2) 2 [1; 0]%Z /\ cell sizes (rows_of 2) [0; 0]%Z = (2, [1; 0]%Z).
Proof. split; [|reflexivity]. split; [reflexivity|]. exists [0; 0]%Z. split; [left; reflexivity | reflexivity]. Qed.
Example no_cell_of_both : apart sizes (rows_of 2) (all_of 3).
Proof. intros s c [[A _] [B _]]. simpl in *. congruence. Qed.
Example all_differ : injective sizes (all_of 3). Proof. intros i j _ _ E. exact E. Qed.
Example an_access : accessed sum_row 0 0 = BeforeWrite /\ accessed (negate (all_of 3) (all_of 2)) 0 0 = AnyTime. Proof. split; reflexivity. Qed.
Example a_clean_step : clean sizes (negate (all_of 3) (all_of 2)).
Proof.
  split; [intros w [<-|[]]; exact all_differ|]. split.
  - intros [|[|a]] [|[|b]] w x Hw Hx D; try discriminate; congruence.
  - intros [|[|a]] [|[|b]] r w Hr Hw; try discriminate. inversion Hr; inversion Hw; subst. right. right.
    intros s c [[A _] [B _]]. simpl in *. congruence.
Qed.
Lemma in_whole s t : shape_of t s = whole -> in_bounds sizes t (all_of s).
Proof. intros E i Hi. simpl. rewrite E. exact Hi. Qed.
Lemma in_rows s t : shape_of t s = whole -> in_bounds sizes t (rows_of s).
Proof.
  intros E i Hi. simpl v_st. rewrite E. unfold inbox in Hi. simpl in Hi. unfold lands, inbox. simpl.
  repeat (destruct Hi as [<-|Hi]; [simpl; auto 12|]). contradiction.
Qed.
(* a step is a relation between the memories before and after it *)
Example a_step_runs : exec sizes Z arithmetic before (negate (all_of 3) (all_of 2)) contents
  (next sizes Z arithmetic (negate (all_of 3) (all_of 2)) contents).
Proof. apply step_runs. intros v [<-|[<-|[]]]; apply in_whole; reflexivity. Qed.
(* there is a run of [before] and one of [after] that begin alike, with these contents *)
Lemma four k : k < 4 -> k = 0 \/ k = 1 \/ k = 2 \/ k = 3. Proof. lia. Qed.
Lemma two k : k < 2 -> k = 0 \/ k = 1. Proof. lia. Qed.
Example both_run : exists mb ma, run sizes Z arithmetic before mb /\ run sizes Z arithmetic after ma /\
  begin_alike Z false before after (mb 0) (ma 0).
Proof.
  destruct (runs_exist sizes Z arithmetic before (fun _ => contents 0)) as (mb & Rb & Eb).
  { intros k Hk. simpl in Hk. destruct (four k Hk) as [->|[->|[->| ->]]]; eexists; (split; [reflexivity|]);
      intros v [<-|[<-|[]]]; first [apply in_whole; reflexivity | apply in_rows; reflexivity]. }
  { intros o v [<-|[]] E. inversion E. apply in_whole. reflexivity. }
  destruct (runs_exist sizes Z arithmetic after (fun _ => contents 0)) as (ma & Ra & Ea).
  { intros k Hk. simpl in Hk. destruct (two k Hk) as [->| ->]; eexists; (split; [reflexivity|]);
      intros v [<-|[<-|[]]]; first [apply in_whole; reflexivity | apply in_rows; reflexivity]. }
  { intros o v [<-|[]] E. inversion E. apply in_whole. reflexivity. }
  exists mb, ma. split; auto. split; auto. intros s s' x y _ _ _ _ _ c. rewrite Eb, Ea. reflexivity.
Qed.

(* --- what is claimed of two runs, part by part --- *)
Theorem claimed : forall nv, numbers_hold nv consts ->
  forall V (op : ops V) mb ma, run nv V op before mb -> run nv V op after ma ->
  begin_alike V false before after (mb 0) (ma 0) ->
  same_inputs before after /\ all_compared before after /\ stores_allowed after /\
  same_outputs nv V before after (mb 4) (ma 2) /\ same_exit nv V before after (mb 4) (ma 2) /\
  no_new_sharing nv [] before after /\ names_mean nv V after ma /\ places_right nv after /\ orders_right nv after.
Proof.
  intros nv Hc V op mb ma Rb Ra Bg.
  destruct (example_is_right nv Hc V op mb ma Rb Ra Bg) as (A & B & C & D & E & _ & F & G & H).
  destruct (E eq_refl) as (E1 & E2 & _). repeat (split; auto).
Qed.

(* --- sharing: to return the input itself, where a copy was returned --- *)
Definition result_of : storage := Storage undefined 1 whole true false 64.
Definition returned (o : view) : output := Output (Some o) 0 None None.
Definition returns (o : view) : trace :=
  Trace (table 0 [given 0 false; result_of]) 2 (table 0 [copy (all_of 1) (all_of 0)]) 1 [(0, all_of 0)] [returned o] [] [] false [].
Example may_grow : accepts known [] (Boundary false true true []) false false (returns (all_of 1)) (returns (all_of 0)) [] 20 20 = true.
Proof. vm_compute. reflexivity. Qed.
Example may_not_grow : accepts known [] (Boundary false false true []) false false (returns (all_of 1)) (returns (all_of 0)) [] 20 20 = false.
Proof. vm_compute. reflexivity. Qed.
(* output 0 may show input 0 *)
Example may_show_it : accepts known [] (Boundary false false true [(0, 0)]) false false (returns (all_of 1)) (returns (all_of 0)) [] 20 20 = true.
Proof. vm_compute. reflexivity. Qed.

(* --- names that are values: step 1 reads x by a name that means what x was at time 0; step 0 may not write it --- *)
Definition named (written : N) : trace :=
  Trace (table 0 [given 0 true; new 1; new 2]) 3
    (table 0 [Step Fill 5 false [] [all_of written] [] [] 0; Step Opaque 1 true [all_of 0] [all_of 1] [[AnyTime]] [0] 1]) 2
    [(0, all_of 0)] [Output (Some (all_of 1)) 0 None (Some 2)] [] [] false [].
Definition alone : boundary := Boundary true false false [].
Example a_name : accepts known [] alone false false (named 2) (named 2) [LCall 1 1] 20 20 = true. Proof. vm_compute. reflexivity. Qed.
Example another_name : accepts known [] alone false false (named 0) (named 0) [LCall 1 1] 20 20 = false. Proof. vm_compute. reflexivity. Qed.

(* --- places: storage 1 in the bytes 0 to 48 of an arena of 100, storage 2 at [offset], from step 1 on; step 1 negates the one into
   the other, element by element or not --- *)
Definition first_place : placement := Placement 0 3 7 0 2 (Some 1) [0; 1].
Definition second_place (offset : num) : placement := Placement 0 offset 7 1 4 (Some 2) [0; 1].
Definition placed (how : access) (offset : num) : trace :=
  Trace (table 0 [given 0 true; new 1; new 2]) 3
    (table 0 [copy (all_of 1) (all_of 0); Step Opaque 1 true [all_of 1] [all_of 2] [[how]] [] 1;
              Step Move 0 false [all_of 2] [all_of 0] [[AnyTime]] [] 2]) 3 [(0, all_of 0)] [] [6] [first_place; second_place offset] false [].
Definition known_48 : numbers := only_constants (table 0 [3; 1; 2; 0; 1; 6; 100; 48; 50]%Z).
Definition sizes_48 (k : num) : Z := nth (N.to_nat k) [3; 1; 2; 0; 1; 6; 100; 48; 50]%Z 0%Z.
Definition places (t : trace) : bool := places_ok (knows_of known_48) t.
Definition consts_48 : consts_hold sizes_48 (knows_of known_48).
Proof.
  apply knows_of_ok, only_constants_hold. intros k z H. unfold sizes_48. destruct (N.lt_ge_cases k 9) as [L|L].
  - assert (C : k = 0 \/ k = 1 \/ k = 2 \/ k = 3 \/ k = 4 \/ k = 5 \/ k = 6 \/ k = 7 \/ k = 8) by lia.
    repeat (destruct C as [->|C]; [vm_compute in H; injection H as <-; reflexivity|]). subst. vm_compute in H. injection H as <-. reflexivity.
  - exfalso. unfold get, table in H. repeat (rewrite PM.gso in H by (intro E; apply (f_equal Pos.pred_N) in E;
      rewrite !N.pos_pred_succ in E; lia)). rewrite PM.gempty in H. discriminate.
Qed.
Example apart_bytes : places (placed AnyTime 8) = true. Proof. vm_compute. reflexivity. Qed.
Example handed_over : places (placed ElementWise 3) = true. Proof. vm_compute. reflexivity. Qed.
Example not_handed_over : places (placed AnyTime 3) = false. Proof. vm_compute. reflexivity. Qed.
(* Nor does a storage whose contents are given take over the bytes of one that is written in the first step. *)
Definition over_given (offset : num) : trace :=
  Trace (table 0 [given 0 true; new 1; new 2]) 3 (table 0 [copy (all_of 1) (all_of 2); copy (all_of 2) (all_of 0)]) 2 [(0, all_of 0)] []
    [6] [Placement 0 offset 7 0 1 (Some 1) [0; 1]; Placement 0 3 7 0 4 (Some 0) [0; 1]] false [].
Example given_elsewhere : places (over_given 8) = true. Proof. vm_compute. reflexivity. Qed.
Example given_written_over : places (over_given 3) = false. Proof. vm_compute. reflexivity. Qed.
(* in words *)
Example bytes_of_both : bytes_apart sizes_48 first_place (second_place 8).
Proof. unfold bytes_apart. simpl. vm_compute. intuition discriminate. Qed.
Example is_touched : touches (negate (all_of 3) (all_of 2)) 2. Proof. exists (all_of 2). split; [left|]; reflexivity. Qed.
Example of_six : elements sizes whole = 6%Z. Proof. reflexivity. Qed.
Example in_bits : address sizes_48 (placed ElementWise 3) first_place 1 [2; 1]%Z = 320%Z. Proof. reflexivity. Qed.
Theorem placed_right : places_right sizes_48 (placed ElementWise 3).
Proof. exact (@places_are_right sizes_48 (knows_of known_48) consts_48 (placed ElementWise 3) handed_over). Qed.
Theorem placed_well : forall p, In p (t_places (placed ElementWise 3)) -> well_placed sizes_48 (placed ElementWise 3) p.
Proof. exact (proj1 placed_right). Qed.
Theorem second_takes_over : forall p q, t_places (placed ElementWise 3) = [p; q] ->
  bytes_apart sizes_48 p q \/ hands_over sizes_48 (placed ElementWise 3) p q \/ hands_over sizes_48 (placed ElementWise 3) q p.
Proof.
  intros p q E. refine (proj2 placed_right 0%nat 1%nat p q _ _ _ _ _); try (rewrite E; reflexivity); [discriminate| |].
  - injection E as <- <-. reflexivity.
  - injection E as <- <-. exists 1. simpl. lia.
Qed.
(* which it does in place, all dimensions in order: *)
Example same_bits : full_order (placed ElementWise 3) first_place 1.
Proof.
  split; [repeat constructor; simpl; intuition discriminate|]. intros d. change (length (shape_of (placed ElementWise 3) 1)) with 2%nat.
  simpl. split; [intros [<-|[<-|[]]]; simpl; lia | intros H; assert (C : d = 0 \/ d = 1) by lia; destruct C; auto].
Qed.
Example before_it_is_written : forall r w, in_place sizes_48 (placed BeforeWrite 3) first_place
  (second_place 3) (Step Opaque 1 true [all_of 1] [all_of 2] [[BeforeWrite]] [] 1) 0 0 r w.
Proof. left. reflexivity. Qed.

(* --- orders: step 1 reads what step 0 writes; in every order that edges allow only with an edge --- *)
Definition ordered (edges : list (N * N)) : trace :=
  Trace (table 0 [given 0 true; new 1; new 2]) 3
    (table 0 [copy (all_of 1) (all_of 0); Step Opaque 1 true [all_of 1] [all_of 2] [[AnyTime]] [] 1]) 2
    [(0, all_of 0)] [Output (Some (all_of 2)) 0 None None] [] [] true edges.
Example with_an_edge : orders_ok (knows_of known) (ordered [(0, 1)]) = true. Proof. vm_compute. reflexivity. Qed.
Example without_an_edge : orders_ok (knows_of known) (ordered []) = false. Proof. vm_compute. reflexivity. Qed.
Example a_path : path [(0, 1); (1, 2)] 0 2. Proof. apply Then with 1; [left | apply Edge; right; left]; reflexivity. Qed.

(* Contents that come from here or from there, for all sizes: the pair of Example.v without the lemmas that say where its writes meet. *)
Example from_here_or_there : accepts consts [] asked false false before after [LCall 3 1] 20 20 = true. Proof. vm_compute. reflexivity. Qed.
Example from_neither : accepts consts [] asked false false before cleared [LCall 3 1] 20 20 = false. Proof. vm_compute. reflexivity. Qed.
