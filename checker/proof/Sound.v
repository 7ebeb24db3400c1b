(* What the checker accepts is right. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Follow Check Latest Maps Contents Equal Points PointsRight Places Sharing Learn.
Import ListNotations.

Section Two.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval} {V : Type} {op : ops V}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation lands := (lands nv).
Notation elem := (elem nv V).
Notation result := (result nv V op).
Variables (fresh : bool) (b a : trace) (ib ia : index) (mb ma : N -> mem V) (fuel : nat).
Hypothesis Rb : run nv V op b mb.
Hypothesis Ra : run nv V op a ma.
Hypothesis ib_ok : forall s time v, prev ib s time = Some v -> latest b s time v.
Hypothesis ia_ok : forall s time v, prev ia s time = Some v -> latest a s time v.
Hypothesis Begin : begin_alike V fresh b a (mb 0%N) (ma 0%N).
Notation val_b := (val (nv := nv) (op := op) b mb).
Notation val_a := (val (nv := nv) (op := op) a ma).
Notation ok_b := (ok (nv := nv) b).
Notation ok_a := (ok (nv := nv) a).
Notation facts_ok := (facts_ok (nv := nv) op b a mb ma).
Variable points : option (points * points).
Hypothesis Points_ok : points = None \/ points = Some (points_of cval b, points_of cval a).
Notation equal_ok := (equal_right fresh b a ib ia mb ma fuel Rb Ra ib_ok ia_ok Begin points Points_ok).
Notation whole_b := (whole_b b).
Notation whole_a := (whole_a a).
Lemma steps_ok_spec t test : steps_ok t test = true -> forall k s, get k (t_steps t) = Some s -> test s = true.
Proof. intros H k s Hg. exact (PM.every_ok test _ H _ _ Hg). Qed.
Lemma inputs_right : inputs_ok b a = true -> same_inputs b a.
Proof.
  unfold inputs_ok. intros H name v w Hv Hw. rewrite forallb_forall in H. specialize (H _ Hv). rewrite forallb_forall in H.
  specialize (H _ (grouped_in fst _ _ Hw)). simpl in H. rewrite N.eqb_refl in H. simpl in H. unfold same_input in H.
  apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  apply N.eqb_eq in H1. apply is_true in H2, H3. repeat split; auto.
  destruct (get (v_st v) (t_st b)) as [x|]; [|discriminate]. destruct (get (v_st w) (t_st a)) as [y|]; [|discriminate].
  apply andb_true_iff in H4 as [H4 H5]. apply N.eqb_eq in H4, H5. exists x, y. auto.
Qed.
Lemma name_right v k time : (k <= t_n a)%N -> in_bounds nv a v -> name_ok cval a ia fuel v k time = true ->
  forall i, inbox (v_sh v) i -> elem (ma k) v i = elem (ma time) v i.
Proof.
  intros Hk B H i Hi. unfold name_ok in H.
  apply (walk_ok a ia ma Ra ia_ok _ (simple_none a ma) fuel _ _ (v_sh v)) in H as (y & T & O & E); [|split; auto].
  specialize (E i Hi). destruct y as [s t ch|]; [|discriminate]. simpl in T, O, E. destruct O as [Ht _].
  apply andb_true_iff in T as [T T4]. apply andb_true_iff in T as [T T3]. apply andb_true_iff in T as [T1 T2].
  apply N.eqb_eq in T1. apply is_true in T2. apply N.leb_le in T3. subst s ch.
  unfold Sem.elem. rewrite E. apply (stays a ma Ra); auto.
  intros j L L' S. destruct (prev ia (v_st v) t) as [[p|]|] eqn:P; [| |discriminate].
  - apply ia_ok in P. destruct P as (_ & _ & P). apply N.ltb_lt in T4. specialize (P j L' S). lia.
  - apply ia_ok in P. exact (P j L' S).
Qed.
Lemma names_right : names_ok cval a ia fuel = true -> names_mean nv V a ma.
Proof.
  intros H. unfold names_ok in H. apply andb_true_iff in H as [H1 H2]. rewrite forallb_forall in H1, H2. split.
  - intros k s p r time Hk Hg Hr Hm. assert (I : In (k, s) (named_steps a)).
    { unfold named_steps. replace k with (Pos.pred_N (N.succ_pos k)) by (apply N.pos_pred_succ). apply PM.pick_in; auto.
      destruct (s_means s); auto. destruct p; discriminate. }
    specialize (H1 (k, s) I). rewrite forallb_forall in H1.
    apply (name_right r k time); [lia | |].
    + eapply (in_bounds_of a ma Ra); eauto. apply in_or_app. left. eapply nth_error_In; eauto.
    + apply (H1 (r, time)). simpl. clear H1 H2 Hg. revert p Hr Hm. generalize (s_reads s) (s_means s). intros l m p.
      revert l m; induction p; intros [|x l] [|y m]; simpl; intros; try discriminate; [left; congruence | right; eauto].
  - intros o v time Ho Hv Hm. specialize (H2 o Ho). rewrite Hv, Hm in H2. apply (name_right v (t_n a) time); auto; [lia|].
    destruct Ra as (_ & _ & B). eapply B; eauto.
Qed.
Lemma boundary_right c n f : facts_ok f -> boundary_ok cval fresh b a ib ia fuel points c n f = true -> right nv V c b a mb ma.
Proof.
  intros F H. unfold boundary_ok in H.
  apply andb_true_iff in H as [H Hcl]. apply andb_true_iff in Hcl as [Hcl Hor]. apply andb_true_iff in Hcl as [Hnm Hpl].
  pose proof (names_right Hnm) as Nm. pose proof (places_are_right (nv := nv) a Hpl) as Pl.
  pose proof (orders_are_right (nv := nv) a Hor (fun k s L G v I => in_bounds_of a ma Ra k s v L G I) (proj1 (proj2 Ra))) as Or.
  apply andb_true_iff in H as [H Hinp]. apply inputs_right in Hinp. apply andb_true_iff in H as [H Hst].
  apply andb_true_iff in H as [H Hfr]. apply andb_true_iff in H as [Hout Hal]. pose proof (steps_ok_spec _ _ Hst) as St. clear Hst.
  assert (Sha : b_alone c = false -> forallb (exit_ok cval fresh b a ib ia fuel points (key_map (all_storages b)) n f) (all_storages a) = true /\
    (b_grow c = false -> no_new_sharing nv (b_may c) b a) /\ (b_shrink c = false -> no_new_sharing nv (b_may c) a b)).
  { intros Al. rewrite Al in Hal. simpl in Hal. apply andb_true_iff in Hal as [Hal S2]. apply andb_true_iff in Hal as [Hex S1].
    split; auto. split; intros G; rewrite G in *; simpl in *.
    - apply (sharing_is_right (cval := cval)); auto. apply Ra.
    - apply (sharing_is_right (cval := cval)); auto. apply Rb. }
  clear Hal.
  enough (same_outputs nv V b a (mb (t_n b)) (ma (t_n a)) /\ (b_alone c = false -> same_exit nv V b a (mb (t_n b)) (ma (t_n a))) /\ all_compared b a /\
    stores_allowed a /\ forall k s, (k < t_n a)%N -> get k (t_steps a) = Some s -> clean nv s) by (unfold right; intuition).
  repeat split.
  - apply (all2_length _ _ _ Hout).
  - intros. pose proof (all2_nth _ _ _ _ _ _ Hout H H0) as O. unfold output_ok in O. apply andb_true_iff in O as [O _].
    apply N.eqb_eq in O. auto.
  - pose proof (all2_nth _ _ _ _ _ _ Hout H H0) as O. unfold output_ok in O. apply andb_true_iff in O as [_ O].
    destruct (o_view x) as [v|] eqn:Ev, (o_view y) as [w|] eqn:Ew; auto; try discriminate.
    apply andb_true_iff in O as [O Oe]. apply andb_true_iff in O as [Ot Os]. apply andb_true_iff in Ot as [T1 T2].
    apply N.eqb_eq in T1. apply is_true in T2. split; [auto|]. split; [auto|]. split.
    + intros p q Hp Hq. unfold strides_ok in Os. rewrite Hp, Hq in Os. apply is_true in Os. subst. auto.
    + intros i Hi. refine (equal_ok n f F _ _ (v_sh v) Oe _ _ i Hi); split; try lia.
      * destruct Rb as (_ & _ & B). eapply B; eauto. eapply nth_error_In; eauto.
      * rewrite T2. destruct Ra as (_ & _ & B). eapply B; eauto. eapply nth_error_In; eauto.
  - intros Al s y Hg Hc Hs. destruct (Sha Al) as [Hex _]. rewrite forallb_forall in Hex. specialize (Hex _ (in_storages _ _ _ Hg (or_intror Hc))). unfold exit_ok in Hex. simpl in Hex.
    rewrite Hc in Hex. simpl in Hex. destruct (at2 (key_map (all_storages b)) (st_start y) (st_key y)) as [s'|]; [|discriminate].
    destruct (get s' (t_st b)) as [x|] eqn:G; [|discriminate].
    apply andb_true_iff in Hex as [Hex E]. apply andb_true_iff in Hex as [Hex Sh]. apply andb_true_iff in Hex as [E1 E2].
    apply N.eqb_eq in E1, E2. apply is_true in Sh. exists s', x. repeat split; auto.
    intros i Hi. assert (Y : shape_of a s = st_sh y) by (unfold shape_of; rewrite Hg; auto).
    refine (equal_ok n f F _ _ (st_sh y) E _ _ i Hi); rewrite <- Y; [rewrite <- Sh; apply whole_b | apply whole_a]; lia.
  - intros s x Hg Hc. rewrite forallb_forall in Hfr. specialize (Hfr _ (in_storages _ _ _ Hg (or_intror Hc))). unfold frame_ok in Hfr. simpl in Hfr.
    rewrite Hc in Hfr. simpl in Hfr. destruct (at2 _ _ _) as [s'|]; [|discriminate]. destruct (get s' (t_st a)) as [y|] eqn:G; [|discriminate].
    apply andb_true_iff in Hfr as [Hfr Hy]. apply andb_true_iff in Hfr as [E1 E2]. apply N.eqb_eq in E1, E2. exists s', y. auto.
  - intros k s w x Hk Hg Hw Hx. specialize (St _ _ Hg). apply andb_true_iff in St as [St _].
    unfold store_ok in St. rewrite forallb_forall in St. specialize (St _ Hw). rewrite Hx in St. auto.
  - intros w Hw. specialize (St _ _ H0). apply andb_true_iff in St as [_ St]. apply (cleans_ok a) in St; [apply St; auto|].
    intros v Hv. eapply (in_bounds_of a ma Ra); eauto.
  - intros. specialize (St _ _ H0). apply andb_true_iff in St as [_ St]. apply (cleans_ok a) in St; [eapply (proj1 (proj2 St)); eauto|].
    intros v Hv. eapply (in_bounds_of a ma Ra); eauto.
  - intros. specialize (St _ _ H0). apply andb_true_iff in St as [_ St]. apply (cleans_ok a) in St; [eapply (proj2 (proj2 St)); eauto|].
    intros v Hv. eapply (in_bounds_of a ma Ra); eauto.
Qed.
End Two.

(* The theorem.  For all sizes that are what the table of numbers says, all contents, all operators for which the identities
   hold, and all runs that begin alike: what a caller sees is the same, no store goes where it must not, no sharing is new, and no
   step of [after] disturbs itself. *)
Theorem accepted_is_right : forall table ids c fresh use b a ls n fuel,
  accepts table ids c fresh use b a ls n fuel = true ->
  forall nv, numbers_hold nv table ->
  forall V (op : ops V) mb ma, identities_hold V op ids ->
  run nv V op b mb -> run nv V op a ma -> begin_alike V fresh b a (mb 0%N) (ma 0%N) -> right nv V c b a mb ma.
Proof.
  intros table ids c fresh use b a ls n fuel H nv Hc V op mb ma Ids Rb Ra Bg. unfold accepts in H.
  destruct (learn_all _ _ _ _ _ _ _ _ _ _ _) as [f|] eqn:E; [|discriminate].
  assert (Ib : forall s time v, prev (index_of b) s time = Some v -> latest b s time v) by apply index_of_ok.
  assert (Ia : forall s time v, prev (index_of a) s time = Some v -> latest a s time v) by apply index_of_ok.
  assert (K : consts_hold nv (knows_of table)) by (apply knows_of_ok; auto).
  assert (Ps : forall u : bool, (if u then Some (points_of (knows_of table) b, points_of (knows_of table) a) else None) = None \/
    (if u then Some (points_of (knows_of table) b, points_of (knows_of table) a) else None)
      = Some (points_of (knows_of table) b, points_of (knows_of table) a)) by (intros []; auto).
  eapply (boundary_right (nv := nv) (cval := knows_of table)); try eassumption; try apply Ps.
  eapply (learn_all_ok (nv := nv) (cval := knows_of table)); try eassumption; try apply Ps.
  split; simpl; try apply simple_none; intros; unfold list2, at2, entries, get in *; rewrite PM.gempty in *; contradiction.
Qed.

