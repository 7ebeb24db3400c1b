(* What is refuted is broken: with operators that tell what they were given, the runs at hand end differently. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps Follow Points Contents PointsRight Sharing Progress Bodies BodiesRight Refute.
Import ListNotations.

Section Right.
Variables (values : PM.t Z) (b a : trace) (fuel : nat).
Notation cval := (knows_of (only_constants values)).
Notation nv := (nvc cval).
Notation ib := (index_of b).
Notation ia := (index_of a).
Notation pb := (points_of cval b).
Notation pa := (points_of cval a).

Lemma values_hold : numbers_hold nv (only_constants values).
Proof.
  apply only_constants_hold. intros k z H. unfold nvc. cbn [k_const knows_of only_constants n_sum]. unfold get in *. rewrite PM.gmap, H. auto.
Qed.
Instance all_known : consts_hold nv cval.
Proof. apply knows_of_ok, values_hold. Qed.
Lemma in_pick {A} k (m : PM.t A) x : get k m = Some x -> In (k, x) (PM.pick (fun _ => true) m).
Proof. intros H. replace k with (Pos.pred_N (N.succ_pos k)) by apply N.pos_pred_succ. apply PM.pick_in; auto. Qed.
Lemma holds_ok table : holds table nv = true -> numbers_hold nv table.
Proof.
  unfold holds. intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. rewrite forallb_forall in H1, H2, H3.
  split; [|split]; intros k x E; apply in_pick in E.
  - specialize (H1 _ E). apply Z.eqb_eq in H1. auto.
  - specialize (H2 _ E). apply Z.leb_le in H2. auto.
  - specialize (H3 _ E). apply Z.leb_le in H3. auto.
Qed.
Lemma lands_chk_ok ms : forall space i, lands_chk cval space ms i = true -> lands nv space ms i.
Proof.
  induction ms as [|m r IH]; intros space i H; cbn [lands_chk] in H; apply andb_true_iff in H as [H R]; apply andb_true_iff in H as [_ H];
    apply inside_ok in H; [exact H | split; [exact H | apply IH; auto]].
Qed.
Lemma view_inside_ok t v : view_inside cval t v = true -> in_bounds nv t v.
Proof.
  unfold view_inside. intros H i Hi. apply andb_true_iff in H as [_ H]. rewrite forallb_forall in H. apply lands_chk_ok, H. exact Hi.
Qed.
Lemma all_inside_ok t : all_inside cval t = true -> stays_inside nv t.
Proof.
  unfold all_inside. intros H. apply andb_true_iff in H as [H1 H2]. rewrite forallb_forall in H1, H2. split.
  - intros k L. assert (I : In (N.to_nat k) (seq 0 (N.to_nat (t_n t)))) by (apply in_seq; lia). specialize (H1 _ I). rewrite N2Nat.id in H1.
    destruct (get k (t_steps t)) as [s|]; [|discriminate]. exists s. split; auto. rewrite forallb_forall in H1.
    intros v Hv. apply view_inside_ok. auto.
  - intros o v Ho Hv. specialize (H2 _ Ho). rewrite Hv in H2. apply view_inside_ok. auto.
Qed.

(* --- one side --- *)
Section Side.
Variables (t : trace) (mt : N -> mem val) (too : bool).
Hypothesis R : run nv val free t mt.
Hypothesis Init : forall s x, get s (t_st t) = Some x -> too = true \/ st_start x <> undefined ->
  forall c, mt 0%N s c = VInit (st_start x) (st_key x) c.
Notation pval := (pval (nv := nv) (op := free) t mt).
Notation pok := (pok (nv := nv) t).
Lemma stored_ok p slot i h m : head_stored cval p slot i = Some h -> vhead (result nv val free p m slot i) = h.
Proof.
  unfold head_stored, result. destruct (nth_error (s_writes p) slot) as [w|]; [|discriminate]. destruct (s_kind p).
  - destruct (s_reads p) as [|r rs]; [discriminate|]. destruct (N.eqb (v_ty r) (v_ty w)); [discriminate|]. intros H. inversion H. auto.
  - intros H. inversion H. auto.
  - destruct (s_elem p); intros H; inversion H; auto. cbn [vhead free o_opaque]. f_equal. rewrite map_map. auto.
Qed.
Lemma head_at_ok x h : head_at cval t (index_of t) too x = Some h -> pok x -> vhead (pval x) = h.
Proof.
  destruct x as [s time c|k slot i]; simpl; intros H O.
  - destruct (prev (index_of t) s time) as [[?|]|] eqn:Pv; try discriminate. destruct (get s (t_st t)) as [x|] eqn:G; [|discriminate].
    apply guard_some in H as [U H]. inversion H; subst.
    rewrite (version_ok t (index_of t) mt R (index_of_ok t) s time 0%N c O) by (unfold version; rewrite Pv; auto).
    rewrite (Init s x G); auto. apply orb_true_iff in U as [U|U]; auto. apply negb_true_iff, N.eqb_neq in U. auto.
  - destruct (get k (t_steps t)) as [p|]; [|discriminate]. apply stored_ok. auto.
Qed.
(* where the element of a whole operand stands among all of it *)
Definition at_pos (h : head) (j : nat) (e : list Z) (pos : nat) : Prop :=
  match h with HOp _ _ ins _ _ => exists ty sh, nth_error ins j = Some (ty, sh) /\ nth_error (box sh) pos = Some e | _ => True end.
Lemma operand_pos h x j e u : head_at cval t (index_of t) too x = Some h -> operand_at cval t h x j e = Some u -> exists pos, at_pos h j e pos.
Proof.
  destruct x as [|k slot i]; simpl; [discriminate|]. destruct (get k (t_steps t)) as [p|] eqn:G; [|discriminate].
  destruct (nth_error (s_reads p) j) as [r|] eqn:Er; [|discriminate]. intros H O. apply guard_some in O as [O _].
  apply andb_true_iff in O as [_ O]. destruct h; try (exists 0%nat; exact I). cbn [whole negb orb] in O. apply inside_ok in O.
  apply In_nth_error in O as [pos O]. exists pos, (v_ty r), (map nv (v_sh r)). split; auto.
  unfold head_stored in H. destruct (nth_error (s_writes p) slot); [|discriminate]. destruct (s_kind p); try discriminate.
  - destruct (s_reads p); [discriminate|]. destruct (N.eqb _ _); discriminate.
  - destruct (s_elem p); inversion H; subst. apply (map_nth_error (sizes_of cval)) in Er. exact Er.
Qed.
Lemma operand_part h x j e u pos : head_at cval t (index_of t) too x = Some h -> pok x -> operand_at cval t h x j e = Some u -> at_pos h j e pos ->
  pok u /\ part (pval x) j pos = Some (pval u).
Proof.
  destruct x as [|k slot i]; simpl; [discriminate|]. destruct (get k (t_steps t)) as [p|] eqn:G; [|discriminate].
  destruct (nth_error (s_reads p) j) as [r|] eqn:Er; [|discriminate]. intros H (Hk & _) O A. apply guard_some in O as [O E]. inversion E; subst u; clear E.
  apply andb_true_iff in O as [O _]. apply andb_true_iff in O as [K J]. destruct (read_ok (nv := nv) (op := free) t mt k r (if whole h then e else i) Hk K) as [O1 O2].
  split; auto. rewrite O2. unfold head_stored in H. unfold result. destruct (nth_error (s_writes p) slot) as [w|]; [|discriminate]. destruct (s_kind p).
  - destruct (s_reads p) as [|r0 rs]; [discriminate|]. destruct (N.eqb (v_ty r0) (v_ty w)); [discriminate|]. inversion H; subst h. cbn [whole].
    apply Nat.eqb_eq in J. subst j. cbn [nth_error] in Er. assert (r0 = r) by congruence. subst r0. auto.
  - discriminate J.
  - destruct (s_elem p); inversion H; subst h; cbn [whole part free o_each o_opaque].
    + exact (map_nth_error (fun r => elem nv val (mt k) r i) _ _ Er).
    + destruct A as (ty & sh & A1 & A2). rewrite (map_nth_error (operand nv val (mt k)) _ _ Er).
      rewrite (map_nth_error (sizes_of cval) _ _ Er) in A1. inversion A1; subst ty sh. exact (map_nth_error (elem nv val (mt k) r) _ _ A2).
Qed.
End Side.

(* --- what is wrong whatever the contents --- *)
Lemma element_ok v i : element_of cval v i = true -> inbox nv (v_sh v) i.
Proof. intros H. apply inside_ok in H. exact H. Qed.
Lemma one_cell_ok v i w j : one_cell cval v i w j = true <-> cell nv v i = cell nv w j.
Proof.
  unfold one_cell, cell. split.
  - intros H. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1. apply is_true in H2. unfold at_root in H2. congruence.
  - intros E. inversion E as [[E1 E2]]. rewrite E1, N.eqb_refl. unfold is, at_root. destruct (cells_dec _ _); auto.
Qed.
Lemma one_cell_no v i w j : negb (one_cell cval v i w j) = true -> cell nv v i <> cell nv w j.
Proof. intros H E. apply one_cell_ok in E. rewrite E in H. discriminate. Qed.
Lemma stores_wrong_ok t k : stores_wrong t k = true -> ~ stores_allowed t.
Proof.
  unfold stores_wrong. destruct (get k (t_steps t)) as [s|] eqn:G; [|discriminate]. intros H S. apply andb_true_iff in H as [L H].
  apply N.ltb_lt in L. apply existsb_exists in H as (w & Hw & H). destruct (get (v_st w) (t_st t)) as [x|] eqn:Gx; [|discriminate].
  rewrite (S k s w x L G Hw Gx) in H. discriminate.
Qed.
Lemma disturbs_ok s slot read i j : disturbs cval s slot read i j = true -> ~ clean nv s.
Proof.
  unfold disturbs. destruct (nth_error (s_writes s) slot) as [w|] eqn:Ew; [|discriminate]. intros H (Inj & _ & Rw). destruct read as [q|].
  - destruct (nth_error (s_reads s) q) as [r|] eqn:Er; [|discriminate]. apply andb_true_iff in H as [H A]. apply andb_true_iff in H as [H C].
    apply andb_true_iff in H as [Ei Ej]. apply element_ok in Ei, Ej. apply one_cell_ok in C. unfold cell in C. inversion C as [[C1 C2]].
    assert (Meet : ~ apart nv r w). { intros Ap. apply (Ap (v_st r) (root nv (v_maps r) j)). split; split; eauto. }
    destruct (Rw q slot r w Er Ew) as [B|[(E & E1 & E2 & E3)|Ap]]; [rewrite B in A; discriminate | | tauto].
    rewrite E in A. apply negb_true_iff in A. rewrite E1, E2, E3, N.eqb_refl in A. unfold is in A.
    destruct (nums_dec _ _); [|congruence]. destruct (maps_dec _ _); [discriminate | congruence].
  - apply andb_true_iff in H as [H C]. apply andb_true_iff in H as [H D]. apply andb_true_iff in H as [Ei Ej]. apply element_ok in Ei, Ej.
    apply one_cell_ok in C. unfold cell in C. inversion C as [C2]. unfold is in D. destruct (cells_dec i j) as [|D']; [discriminate|].
    apply D'. apply (Inj w); auto. eapply nth_error_In; eauto.
Qed.
Lemma not_allowed may k x : negb (allowed may k x) = true -> ~ In (k, x) may.
Proof.
  intros H I. apply negb_true_iff in H. unfold allowed in H. assert (E : existsb (fun p => N.eqb (fst p) k && N.eqb (snd p) x) may = true); [|congruence].
  apply existsb_exists. exists (k, x). split; auto. simpl. rewrite !N.eqb_refl. auto.
Qed.
Lemma not_anew may k : negb (anew may k) = true -> forall x, ~ In (k, x) may.
Proof.
  intros H x I. apply negb_true_iff in H. unfold anew in H. assert (E : existsb (fun p => N.eqb (fst p) k) may = true); [|congruence].
  apply existsb_exists. exists (k, x). split; auto. simpl. apply N.eqb_refl.
Qed.
Lemma shares_input_ok may s t k x i j : shares_input cval may s t k x i j = true -> ~ no_new_sharing nv may s t.
Proof.
  unfold shares_input. destruct (nth_error (t_out t) k) as [o|] eqn:Eo; [|discriminate]. destruct (nth_error (t_in t) x) as [[name u]|] eqn:Ex; [|discriminate].
  destruct (o_view o) as [w|] eqn:Ew; [|discriminate]. intros H [N _]. apply andb_true_iff in H as [H B]. apply andb_true_iff in H as [H C].
  apply andb_true_iff in H as [H Ej]. apply andb_true_iff in H as [A Ei]. apply element_ok in Ei, Ej. apply one_cell_ok in C. apply not_allowed in A.
  destruct (N k x o w name u A Eo Ew Ex i j Ei Ej C) as (o' & v & u' & Ho & Hv & Hu & _ & _ & E). rewrite Ho, Hv in B.
  rewrite forallb_forall in B. specialize (B _ Hu). cbn [fst snd] in B. rewrite N.eqb_refl in B. cbn [negb orb] in B. exact (one_cell_no _ _ _ _ B E).
Qed.
Lemma shares_output_ok may s t k l i j : shares_output cval may s t k l i j = true -> ~ no_new_sharing nv may s t.
Proof.
  unfold shares_output. destruct (nth_error (t_out t) k) as [o|] eqn:Eo; [|discriminate]. destruct (nth_error (t_out t) l) as [p|] eqn:Ep; [|discriminate].
  destruct (o_view o) as [w|] eqn:Ew; [|discriminate]. destruct (o_view p) as [x|] eqn:Ex; [|discriminate]. intros H [_ N].
  apply andb_true_iff in H as [H B]. apply andb_true_iff in H as [H C]. apply andb_true_iff in H as [H Ej]. apply andb_true_iff in H as [H Ei].
  apply andb_true_iff in H as [A1 A2]. apply element_ok in Ei, Ej. apply one_cell_ok in C.
  destruct (N k l o p w x (not_anew _ _ A1) (not_anew _ _ A2) Eo Ew Ep Ex i j Ei Ej C) as (o' & p' & v & y & Ho & Hv & _ & Hp & Hy & _ & E).
  rewrite Ho, Hp, Hv, Hy in B. exact (one_cell_no _ _ _ _ B E).
Qed.

Variables (mb ma : N -> mem val).
Hypothesis Rb : run nv val free b mb.
Hypothesis Ra : run nv val free a ma.
Hypothesis Eb : enters val b (mb 0%N) VInit.
Hypothesis Ea : forall s x, get s (t_st a) = Some x -> forall c, ma 0%N s c = VInit (st_start x) (st_key x) c.
Notation val_b := (pval (nv := nv) (op := free) b mb).
Notation val_a := (pval (nv := nv) (op := free) a ma).
Lemma init_b : forall s x, get s (t_st b) = Some x -> false = true \/ st_start x <> undefined -> forall c, mb 0%N s c = VInit (st_start x) (st_key x) c.
Proof. intros s x G [E|N] c; [discriminate|]. apply Eb; auto. Qed.
Lemma init_a : forall s x, get s (t_st a) = Some x -> true = true \/ st_start x <> undefined -> forall c, ma 0%N s c = VInit (st_start x) (st_key x) c.
Proof. intros s x G _ c. apply Ea; auto. Qed.
Lemma origins x y : pok (nv := nv) b x -> pok (nv := nv) a y -> val_b x = val_a y ->
  let x' := point_origin cval b ib (PM.empty _) pb fuel x in let y' := point_origin cval a ia (PM.empty _) pa fuel y in
  pok (nv := nv) b x' /\ pok (nv := nv) a y' /\ val_b x' = val_a y' /\
  forall h h', head_at cval b ib false x' = Some h -> head_at cval a ia true y' = Some h' -> h = h'.
Proof.
  intros Ox Oy E x' y'.
  destruct (point_origin_ok (nv := nv) (cval := cval) (op := free) b ib mb Rb (index_of_ok b) _ (simple_none b mb) fuel x Ox) as [Ox' Vx].
  destruct (point_origin_ok (nv := nv) (cval := cval) (op := free) a ia ma Ra (index_of_ok a) _ (simple_none a ma) fuel y Oy) as [Oy' Vy].
  fold x' in Ox', Vx. fold y' in Oy', Vy. split; auto. split; auto. assert (E' : val_b x' = val_a y') by congruence. split; auto.
  intros h h' Hx Hy. rewrite <- (head_at_ok b mb false Rb init_b x' h Hx Ox'), <- (head_at_ok a ma true Ra init_a y' h' Hy Oy'), E'. auto.
Qed.
Lemma differ_ok path : forall x y, differ cval b a ib ia pb pa fuel path x y = true -> pok (nv := nv) b x -> pok (nv := nv) a y -> val_b x <> val_a y.
Proof.
  induction path as [|[j e] r IH]; intros x y H Ox Oy E; destruct (origins x y Ox Oy E) as (Ox' & Oy' & E' & Hd); cbn [differ] in H;
    set (x' := point_origin cval b ib (PM.empty _) pb fuel x) in *; set (y' := point_origin cval a ia (PM.empty _) pa fuel y) in *.
  - destruct (head_at cval b ib false x') as [h|]; [|discriminate]. destruct (head_at cval a ia true y') as [h'|]; [|discriminate].
    specialize (Hd h h' eq_refl eq_refl). subst h'. unfold is in H. destruct (head_dec h h); [discriminate | congruence].
  - destruct (head_at cval b ib false x') as [h|] eqn:Hx; [|discriminate]. destruct (head_at cval a ia true y') as [h'|] eqn:Hy; [|discriminate].
    specialize (Hd h h' eq_refl eq_refl). subst h'. unfold is in H. destruct (head_dec h h); [|congruence]. cbn [negb orb] in H.
    destruct (operand_at cval b h x' j e) as [u|] eqn:U; [|discriminate]. destruct (operand_at cval a h y' j e) as [v|] eqn:W; [|discriminate].
    destruct (operand_pos b false h x' j e u Hx U) as [pos Pos].
    destruct (operand_part b mb false h x' j e u pos Hx Ox' U Pos) as [Ou Pu]. destruct (operand_part a ma true h y' j e v pos Hy Oy' W Pos) as [Ov Pv].
    apply (IH u v H Ou Ov). rewrite E' in Pu. congruence.
Qed.
Definition of_contents (x : broken) : bool := match x with Value _ _ _ | Exit _ _ _ | Heads => true | _ => false end.
Lemma broken_ok c x : of_contents x = true -> is_broken cval b a ib ia pb pa fuel c x = true ->
  ~ (same_outputs nv val b a (mb (t_n b)) (ma (t_n a)) /\ same_exit nv val b a (mb (t_n b)) (ma (t_n a))).
Proof.
  intros K H [[Len Out] Ex]. destruct x as [k i path|s i path| | | | |]; try discriminate K; cbn [is_broken] in H.
  - destruct (nth_error (t_out b) k) as [o|] eqn:Eo; [|discriminate]. destruct (nth_error (t_out a) k) as [p|] eqn:Ep; [|discriminate].
    destruct (Out k o p Eo Ep) as [_ O]. destruct (o_view o) as [v|]; [|discriminate]. destruct (o_view p) as [w|]; [|discriminate].
    apply andb_true_iff in H as [H D]. apply andb_true_iff in H as [_ I]. apply inside_ok in I. destruct O as (_ & _ & _ & O).
    refine (differ_ok path _ _ D _ _ (O i I)); simpl; lia.
  - destruct (get s (t_st a)) as [y|] eqn:G; [|discriminate]. apply andb_true_iff in H as [H D]. apply andb_true_iff in H as [H I].
    apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [H U]. apply andb_true_iff in H as [C L]. apply N.ltb_lt in L.
    apply negb_true_iff, N.eqb_neq in U. apply inside_ok in I. destruct (Ex s y G C L) as (s' & z & Gz & Es & Ek & E).
    rewrite forallb_forall in D. assert (Nz : st_start z <> undefined) by congruence. specialize (D _ (in_storages _ _ _ Gz (or_introl Nz))).
    cbn [fst snd] in D. rewrite Es, Ek, !N.eqb_refl in D. simpl in D. refine (differ_ok path _ _ D _ _ (E i I)); simpl; lia.
  - apply orb_true_iff in H as [H|H]; [apply negb_true_iff, Nat.eqb_neq in H; auto|].
    apply existsb_exists in H as ([o p] & I & H). apply In_nth_error in I as [k I].
    assert (Both : nth_error (t_out b) k = Some o /\ nth_error (t_out a) k = Some p).
    { clear - I. revert k I. generalize (t_out a) as m. induction (t_out b) as [|x l IH]; intros [|y m] [|k] I; simpl in *; try discriminate; [inversion I; auto | eauto]. }
    destruct Both as [Eo Ep]. destruct (Out k o p Eo Ep) as [Es O]. cbn [fst snd] in H. rewrite Es, N.eqb_refl in H. cbn [negb orb] in H.
    destruct (o_view o) as [v|], (o_view p) as [w|]; try contradiction; try discriminate. destruct O as (E1 & E2 & _).
    rewrite E1, E2, N.eqb_refl in H. cbn [negb orb] in H. unfold is in H. destruct (cells_dec _ _); [discriminate | congruence].
Qed.
End Right.

Lemma rule_ok values b a c ib ia pb pa fuel x : of_contents x = false ->
  is_broken (knows_of (only_constants values)) b a ib ia pb pa fuel c x = true -> breaks_a_rule (nvc (knows_of (only_constants values))) c b a.
Proof.
  intros K H. destruct x as [| | |k|k w r i j|back k x i j|back k l i j]; try discriminate K; cbn [is_broken] in H.
  - left. eapply stores_wrong_ok; eauto.
  - right; left. destruct (get k (t_steps a)) as [s|] eqn:G; [|discriminate]. apply andb_true_iff in H as [L H]. apply N.ltb_lt in L.
    intros C. eapply disturbs_ok; eauto.
  - right; right. destruct back; apply andb_true_iff in H as [L H]; apply negb_true_iff in L; apply shares_input_ok in H; auto.
  - right; right. destruct back; apply andb_true_iff in H as [L H]; apply negb_true_iff in L; apply shares_output_ok in H; auto.
Qed.

(* The theorem: what is refuted is broken, for sizes that are what the table says. *)
Theorem refuted_is_broken : forall table values c b a x fuel, refutes table values c b a x fuel = true ->
  exists nv, numbers_hold nv table /\ (breaks nv b a \/ breaks_a_rule nv c b a).
Proof.
  intros table values c b a x fuel H. unfold refutes in H. set (cval := knows_of (only_constants values)) in *.
  apply andb_true_iff in H as [H X]. apply andb_true_iff in H as [H Ia]. apply andb_true_iff in H as [H Ib].
  exists (nvc cval). split; [apply holds_ok; auto|]. destruct (of_contents x) eqn:K; [left | right; eapply rule_ok; eauto].
  apply all_inside_ok in Ia, Ib. exists val, free, VInit. split.
  - apply some_run. auto.
  - destruct (runs_exist (nvc cval) val free a (fun s c => match get s (t_st a) with Some x => VInit (st_start x) (st_key x) c | None => VFill 0 0 end)
      (proj1 Ia) (proj2 Ia)) as (ma & Ra & E).
    exists ma. split; auto. split; [intros s y G _ d; rewrite E, G; auto|]. intros mb Rb Eb.
    apply (broken_ok values b a fuel mb ma Rb Ra Eb (fun s y G d => eq_trans (f_equal (fun m => m s d) E) (f_equal (fun z => match z with
      Some x => VInit (st_start x) (st_key x) d | None => VFill 0 0 end) G)) c x K X).
Qed.
