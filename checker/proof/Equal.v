(* Two runs: what the checker calls equal, is. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Views Follow Latest Maps Contents.
Import ListNotations.

Section Two.
Context {nv : num -> Z} {cval : num -> option Z} {Consts : consts_hold nv cval} {V : Type} {op : ops V}.
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

Record facts_ok (f : facts) : Prop := {
  same_ok : forall s v s' v', In (s', v') (list2 (f_same f) s v) ->
    shape_of b s = shape_of a s' /\ forall i, inbox (shape_of b s) i -> mb v s i = ma v' s' i;
  call_ok : forall k k', In k' (entries (f_call f) k) -> exists p q, get k (t_steps b) = Some p /\
    get k' (t_steps a) = Some q /\ forall slot w i, nth_error (s_writes p) slot = Some w -> inbox (v_sh w) i ->
      result p (mb k) slot i = result q (ma k') slot i }.

Lemma meets_ok f x y sh : facts_ok f -> meets ib ia f x y = true -> ok_b x sh -> ok_a y sh ->
  forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F H Ox Oy i Hi. destruct x as [s t ch|], y as [s' t' ch'|]; try discriminate. simpl in *.
  destruct (version ib s t) as [v1|] eqn:E1; [|discriminate]. destruct (version ia s' t') as [v2|] eqn:E2; [|discriminate].
  apply andb_true_iff in H as [H E]. apply is_true in E. subst ch'. apply existsb_exists in H as ([u v'] & Hin & H).
  simpl in H. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1, H2. subst u v'. destruct Ox as [Tx Lx], Oy as [Ty Ly].
  destruct (same_ok _ F _ _ _ _ Hin) as [_ S].
  rewrite (version_ok b ib mb Rb ib_ok s t v1), (version_ok a ia ma Ra ia_ok s' t' v2) by auto.
  apply S. eapply lands_root; eauto.
Qed.

Lemma alike_ok eq f x y sh : facts_ok f ->
  (forall x y sh, eq x y = true -> ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> val_b x i = val_a y i) ->
  alike fresh b a ib ia eq f x y = true -> ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F Eq H Ox Oy i Hi. destruct x as [s t ch|k slot ch], y as [s' t' ch'|k' slot' ch']; try discriminate; simpl in H.
  - destruct (prev ib s t) as [[?|]|] eqn:P; try discriminate. destruct (prev ia s' t') as [[?|]|] eqn:P'; try discriminate.
    destruct (get s (t_st b)) as [p|] eqn:G; [|discriminate]. destruct (get s' (t_st a)) as [q|] eqn:G'; [|discriminate].
    apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
    apply N.eqb_eq in H1, H2. apply is_true in H4. subst ch'.
    assert (H3' : st_start p <> undefined \/ (fresh = true /\ st_sh p = st_sh q)).
    { apply orb_true_iff in H3 as [H3|H3]; [left; apply negb_true_iff, N.eqb_neq in H3; auto|].
      apply andb_true_iff in H3 as [H3 H5]. apply is_true in H5. auto. }
    simpl in *. destruct Ox as [Tx _], Oy as [Ty _].
    rewrite (version_ok b ib mb Rb ib_ok s t 0%N), (version_ok a ia ma Ra ia_ok s' t' 0%N) by (auto; unfold version; rewrite ?P, ?P'; auto).
    eapply Begin; eauto.
  - destruct (get k (t_steps b)) as [p|] eqn:G; [|discriminate]. destruct (get k' (t_steps a)) as [q|] eqn:G'; [|discriminate].
    simpl in Ox, Oy |- *. rewrite G, G'. destruct Ox as [Tx (p' & w & Gx & Wx & Lx)], Oy as [Ty (q' & w' & Gy & Wy & Ly)].
    rewrite G in Gx; inversion Gx; subst p'. rewrite G' in Gy; inversion Gy; subst q'. clear Gx Gy.
    apply orb_true_iff in H as [H|H].
    + apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
      apply is_true in H3. apply Nat.eqb_eq in H2. subst. apply existsb_exists in H1 as (k2 & Hin & E).
      apply N.eqb_eq in E. subst k2. destruct (call_ok _ F _ _ Hin) as (p' & q' & Gp & Gq & Cc).
      rewrite G in Gp; inversion Gp; subst p'. rewrite G' in Gq; inversion Gq; subst q'.
      eapply Cc; eauto. eapply lands_root; eauto.
    + apply andb_true_iff in H as [H HO]. apply andb_true_iff in H as [H Hq]. apply andb_true_iff in H as [H Hp].
      apply andb_true_iff in H as [H Hs]. apply andb_true_iff in H as [He H]. apply Nat.eqb_eq in Hs. subst slot'.
      unfold one_op in H. apply andb_true_iff in H as [H Hw]. apply andb_true_iff in H as [H Hr].
      apply andb_true_iff in H as [H Hel]. apply andb_true_iff in H as [Hk Hy].
      apply is_true in Hk. apply N.eqb_eq in Hy. apply eqb_prop in Hel.
      unfold reads_fit in Hp, Hq. rewrite Wx in Hp. rewrite Wy in Hq. rewrite forallb_forall in Hp, Hq.
      assert (O : forall r r', In r (s_reads p) -> In r' (s_reads q) ->
        eq (C (v_st r) k (v_maps r ++ ch)) (C (v_st r') k' (v_maps r' ++ ch')) = true ->
        elem (mb k) r (root ch i) = elem (ma k') r' (root ch' i)).
      { intros r r' Ir Ir' E. pose proof (is_true _ (Hp _ Ir)) as Er. pose proof (is_true _ (Hq _ Ir')) as Er'.
        destruct (operand_ok b mb Rb k p r (v_sh w) sh ch) as [O1 O2]; auto.
        destruct (operand_ok a ma Ra k' q r' (v_sh w') sh ch') as [O3 O4]; auto.
        rewrite <- O2, <- O4. eapply Eq; eauto. }
      assert (Ew : v_ty w = v_ty w') by (apply N.eqb_eq; exact (all2_nth _ _ _ _ _ _ Hw Wx Wy)).
      unfold Sem.result. rewrite Wx, Wy, <- Hk, <- Hy, <- Hel, <- Ew.
      unfold each_wise in He. destruct (s_kind p) eqn:K; auto.
      * destruct (s_reads p) as [|r rs], (s_reads q) as [|r' rs']; try discriminate; auto.
        simpl in Hr, HO. apply andb_true_iff in Hr as [Hr _]. apply andb_true_iff in HO as [HO _].
        apply N.eqb_eq in Hr. rewrite Hr. rewrite (O r r') by (auto; left; auto). auto.
      * rewrite He. f_equal.
        -- apply (all2_map_eq _ _ _ _ _ Hr). intros r r' _ _ E. apply N.eqb_eq in E. auto.
        -- apply (all2_map_eq _ _ _ _ _ HO). intros r r' Ir Ir' E. apply O; auto.
Qed.

Lemma equal_ok n f : facts_ok f -> forall x y sh, equal cval fresh b a ib ia fuel n f x y = true -> ok_b x sh -> ok_a y sh ->
  forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F. induction n; intros x y sh H Ox Oy i Hi; [discriminate|]. simpl in H. apply orb_true_iff in H as [H|H].
  - apply (walk_ok b ib mb Rb ib_ok fuel _ x sh) in H as (x' & H & Ox' & Vx); auto. apply andb_true_iff in H as [_ H].
    apply (walk_ok a ia ma Ra ia_ok fuel _ y sh) in H as (y' & H & Oy' & Vy); auto.
    rewrite Vx, Vy by auto. eapply meets_ok; eauto.
  - destruct (origin_ok b ib mb Rb ib_ok fuel x sh Ox) as [Ox' Vx]. destruct (origin_ok a ia ma Ra ia_ok fuel y sh Oy) as [Oy' Vy].
    rewrite Vx, Vy by auto. eapply alike_ok; eauto.
Qed.
End Two.
Arguments facts_ok {nv V} op b a mb ma f.
Arguments same_ok {nv V op b a mb ma} f _ s v s' v'.
Arguments call_ok {nv V op b a mb ma} f _ k k'.
