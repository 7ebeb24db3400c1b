(* Two runs, element by element. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps Follow Points Contents Equal PointsRight.
Import ListNotations.

Section Two.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval} {V : Type} {op : ops V}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation elem := (elem nv V).
Notation result := (result nv V op).
Variables (fresh : bool) (b a : trace) (ib ia : index) (mb ma : N -> mem V) (fuel : nat).
Hypothesis Rb : run nv V op b mb.
Hypothesis Ra : run nv V op a ma.
Hypothesis ib_ok : forall s time v, prev ib s time = Some v -> latest b s time v.
Hypothesis ia_ok : forall s time v, prev ia s time = Some v -> latest a s time v.
Hypothesis Begin : begin_alike V fresh b a (mb 0%N) (ma 0%N).
Notation facts_ok := (facts_ok (nv := nv) op b a mb ma).
Notation pval_b := (pval (nv := nv) (op := op) b mb).
Notation pval_a := (pval (nv := nv) (op := op) a ma).
Notation pok_b := (pok (nv := nv) b).
Notation pok_a := (pok (nv := nv) a).
Notation pb := (points_of cval b).
Notation pa := (points_of cval a).

Lemma point_meets_ok f x y : facts_ok f -> point_meets cval b ib ia f x y = true -> pok_b x -> pok_a y -> pval_b x = pval_a y.
Proof.
  intros F H Ox Oy. destruct x as [s t c|], y as [s' t' c'|]; try discriminate. simpl in *.
  destruct (version ib s t) as [v1|] eqn:E1; [|discriminate]. destruct (version ia s' t') as [v2|] eqn:E2; [|discriminate].
  apply andb_true_iff in H as [H Hi]. apply andb_true_iff in H as [H Hk]. apply andb_true_iff in H as [H E]. apply is_true in E. subst c'.
  apply existsb_exists in H as ([u v'] & Hin & H). simpl in H. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1, H2. subst u v'.
  destruct (same_ok _ F _ _ _ _ Hin) as [_ S].
  rewrite (version_ok b ib mb Rb ib_ok s t v1), (version_ok a ia ma Ra ia_ok s' t' v2) by auto.
  apply S. apply inside_ok in Hi. rewrite known_map_list in Hi by auto. exact Hi.
Qed.
Lemma point_alike_ok eq f x y : facts_ok f -> (forall x y, eq x y = true -> pok_b x -> pok_a y -> pval_b x = pval_a y) ->
  point_alike cval fresh b a ib ia eq f x y = true -> pok_b x -> pok_a y -> pval_b x = pval_a y.
Proof.
  intros F Eq H Ox Oy. destruct x as [s t c|k slot i], y as [s' t' c'|k' slot' i']; try discriminate; simpl in H.
  - destruct (prev ib s t) as [[?|]|] eqn:Pb; try discriminate. destruct (prev ia s' t') as [[?|]|] eqn:Pa; try discriminate.
    destruct (get s (t_st b)) as [p|] eqn:G; [|discriminate]. destruct (get s' (t_st a)) as [q|] eqn:G'; [|discriminate].
    apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
    apply N.eqb_eq in H1, H2. apply is_true in H4. subst c'.
    assert (H3' : st_start p <> undefined \/ (fresh = true /\ st_sh p = st_sh q)).
    { apply orb_true_iff in H3 as [H3|H3]; [left; apply negb_true_iff, N.eqb_neq in H3; auto|].
      apply andb_true_iff in H3 as [H3 H5]. apply is_true in H5. auto. }
    simpl in *.
    rewrite (version_ok b ib mb Rb ib_ok s t 0%N), (version_ok a ia ma Ra ia_ok s' t' 0%N) by (auto; unfold version; rewrite ?Pb, ?Pa; auto).
    eapply Begin; eauto.
  - destruct (get k (t_steps b)) as [p|] eqn:G; [|discriminate]. destruct (get k' (t_steps a)) as [q|] eqn:G'; [|discriminate].
    simpl in Ox, Oy |- *. rewrite G, G'. destruct Ox as [Tx (p' & w & Gx & Wx & Lx)], Oy as [Ty (q' & w' & Gy & Wy & Ly)].
    rewrite G in Gx; inversion Gx; subst p'. rewrite G' in Gy; inversion Gy; subst q'. clear Gx Gy.
    apply orb_true_iff in H as [H|H].
    + apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
      apply is_true in H3. apply Nat.eqb_eq in H2. subst. apply existsb_exists in H1 as (k2 & Hin & E).
      apply N.eqb_eq in E. subst k2. destruct (call_ok _ F _ _ Hin) as (p' & q' & Gp & Gq & Cc).
      rewrite G in Gp; inversion Gp; subst p'. rewrite G' in Gq; inversion Gq; subst q'. eapply Cc; eauto.
    + apply andb_true_iff in H as [H HO]. apply andb_true_iff in H as [H Hs]. apply andb_true_iff in H as [He H].
      apply Nat.eqb_eq in Hs. subst slot'.
      unfold one_op in H. apply andb_true_iff in H as [H Hw]. apply andb_true_iff in H as [H Hr].
      apply andb_true_iff in H as [H Hel]. apply andb_true_iff in H as [Hk Hy].
      apply is_true in Hk. apply N.eqb_eq in Hy. apply eqb_prop in Hel.
      assert (O : forall r r', forallb (known_map cval) (v_maps r) && forallb (known_map cval) (v_maps r')
                  && eq (from_read cval r k i) (from_read cval r' k' i') = true -> elem (mb k) r i = elem (ma k') r' i').
      { intros r r' E. apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
        destruct (read_ok (V := V) (op := op) b mb k r i Tx E1) as [O1 O2].
        destruct (read_ok (V := V) (op := op) a ma k' r' i' Ty E2) as [O3 O4]. rewrite <- O2, <- O4. apply Eq; auto. }
      assert (Ew : v_ty w = v_ty w') by (apply N.eqb_eq; exact (all2_nth _ _ _ _ _ _ Hw Wx Wy)).
      unfold Sem.result. rewrite Wx, Wy, <- Hk, <- Hy, <- Hel, <- Ew.
      unfold each_wise in He. destruct (s_kind p) eqn:K; auto.
      * destruct (s_reads p) as [|r rs], (s_reads q) as [|r' rs']; try discriminate; auto.
        cbn [all2] in Hr, HO. apply andb_true_iff in Hr as [Hr _]. apply andb_true_iff in HO as [HO _].
        apply N.eqb_eq in Hr. rewrite Hr. rewrite (O r r') by auto. auto.
      * rewrite He. f_equal.
        -- apply (all2_map_eq _ _ _ _ _ Hr). intros r r' _ _ E. apply N.eqb_eq in E. auto.
        -- apply (all2_map_eq _ _ _ _ _ HO). intros r r' _ _ E. apply O; auto.
Qed.
Lemma point_equal_ok n f : facts_ok f -> forall x y, point_equal cval fresh b a ib ia fuel pb pa n f x y = true ->
  pok_b x -> pok_a y -> pval_b x = pval_a y.
Proof.
  intros F. induction n; intros x y H Ox Oy; [discriminate|]. cbn [point_equal] in H. apply orb_true_iff in H as [H|H].
  - apply (point_walk_ok b ib mb Rb ib_ok _ (before_ok _ F) fuel _ x) in H as (x' & H & Ox' & Vx); auto. apply andb_true_iff in H as [_ H].
    apply (point_walk_ok a ia ma Ra ia_ok _ (after_ok _ F) fuel _ y) in H as (y' & H & Oy' & Vy); auto.
    rewrite Vx, Vy. eapply point_meets_ok; eauto.
  - destruct (point_origin_ok b ib mb Rb ib_ok _ (before_ok _ F) fuel x Ox) as [Ox' Vx]. destruct (point_origin_ok a ia ma Ra ia_ok _ (after_ok _ F) fuel y Oy) as [Oy' Vy].
    rewrite Vx, Vy. eapply point_alike_ok; eauto.
Qed.

Notation val_b := (val (nv := nv) (op := op) b mb).
Notation val_a := (val (nv := nv) (op := op) a ma).
Notation ok_b := (ok (nv := nv) b).
Notation ok_a := (ok (nv := nv) a).
Lemma each_point_ok ps n f sh x y : facts_ok f -> (ps = None \/ ps = Some (pb, pa)) ->
  each_point cval fresh b a ib ia fuel ps n f sh x y = true -> ok_b x sh -> ok_a y sh ->
  forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F [->| ->] H Ox Oy i Hi; [discriminate|]. cbn [each_point] in H.
  apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  rewrite forallb_forall in H4. assert (I : In i (elements_of cval sh)) by (apply (small_ok (nv := nv)); auto). specialize (H4 i I).
  destruct (point_of_ok (V := V) (op := op) b mb x sh i Ox Hi H2) as [A1 A2]. destruct (point_of_ok (V := V) (op := op) a ma y sh i Oy Hi H3) as [B1 B2].
  rewrite <- A2, <- B2. apply (point_equal_ok n f F); auto.
Qed.
End Two.
