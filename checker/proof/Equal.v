(* Two runs: what the checker calls equal, is. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Norm Follow Latest Maps Contents.
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

Record facts_ok (f : facts) : Prop := {
  same_ok : forall s v s' v', In (s', v') (list2 (f_same f) s v) ->
    shape_of b s = shape_of a s' /\ forall i, inbox (shape_of b s) i -> mb v s i = ma v' s' i;
  call_ok : forall k k', In k' (entries (f_call f) k) -> exists p q, get k (t_steps b) = Some p /\
    get k' (t_steps a) = Some q /\ forall slot w i, nth_error (s_writes p) slot = Some w -> inbox (v_sh w) i ->
      result p (mb k) slot i = result q (ma k') slot i;
  before_ok : simple_ok (nv := nv) (op := op) b mb (f_before f);
  after_ok : simple_ok (nv := nv) (op := op) a ma (f_after f) }.

Lemma known_same_ok f x y sh : facts_ok f -> known_same cval a ib ia fuel f y x = true -> ok_b x sh -> ok_a y sh ->
  forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F H Ox Oy i Hi. unfold known_same in H. destruct (known_of ib f x) as [|e es] eqn:K; [discriminate|]. rewrite <- K in H.
  apply (walk_ok a ia ma Ra ia_ok _ (after_ok _ F) fuel _ y sh) in H as (y' & H & Oy' & Vy); auto. rewrite Vy by auto.
  destruct x as [s t ch|]; [|discriminate]. unfold known_of in H, K. destruct (get s (f_same f)) as [r|] eqn:G; [|discriminate].
  destruct (version ib s t) as [v1|] eqn:E1; [|discriminate]. destruct (get v1 r) as [l|] eqn:G1; [|discriminate].
  destruct y' as [s' t' ch'|]; [|discriminate]. simpl in H.
  destruct (version ia s' t') as [v2|] eqn:E2; [|discriminate].
  apply andb_true_iff in H as [H E]. apply existsb_exists in H as ([u v'] & Hin & H).
  simpl in H. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1, H2. subst u v'. destruct Ox as [Tx Lx], Oy' as [Ty Ly].
  assert (Hl : In (s', v2) (list2 (f_same f) s v1)) by (unfold list2, at2; rewrite G, G1; auto).
  destruct (same_ok _ F _ _ _ _ Hl) as [_ S]. simpl.
  rewrite (version_ok b ib mb Rb ib_ok s t v1), (version_ok a ia ma Ra ia_ok s' t' v2) by auto.
  rewrite <- (one_chain_ok ch ch' _ _ i E (Lx i Hi) (Ly i Hi)). apply S. eapply lands_root; eauto.
Qed.

Lemma alike_ok eq f x y sh : facts_ok f ->
  (forall x y sh, eq x y = true -> ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> val_b x i = val_a y i) ->
  alike cval fresh b a ib ia eq f x y = true -> ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F Eq H Ox Oy i Hi. destruct x as [s t ch|k slot ch], y as [s' t' ch'|k' slot' ch']; try discriminate; simpl in H.
  - destruct (prev ib s t) as [[?|]|] eqn:P; try discriminate. destruct (prev ia s' t') as [[?|]|] eqn:P'; try discriminate.
    destruct (get s (t_st b)) as [p|] eqn:G; [|discriminate]. destruct (get s' (t_st a)) as [q|] eqn:G'; [|discriminate].
    apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
    apply N.eqb_eq in H1, H2.
    assert (H3' : st_start p <> undefined \/ (fresh = true /\ st_sh p = st_sh q)).
    { apply orb_true_iff in H3 as [H3|H3]; [left; apply negb_true_iff, N.eqb_neq in H3; auto|].
      apply andb_true_iff in H3 as [H3 H5]. apply is_true in H5. auto. }
    simpl in *. destruct Ox as [Tx Lx], Oy as [Ty Ly].
    rewrite (version_ok b ib mb Rb ib_ok s t 0%N), (version_ok a ia ma Ra ia_ok s' t' 0%N) by (auto; unfold version; rewrite ?P, ?P'; auto).
    rewrite <- (one_chain_ok ch ch' _ _ i H4 (Lx i Hi) (Ly i Hi)). eapply Begin; eauto.
  - apply orb_true_iff in H as [H|H].
    + apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
      apply Nat.eqb_eq in H2. subst slot'. apply existsb_exists in H1 as (k2 & Hin & E).
      apply N.eqb_eq in E. subst k2. destruct (call_ok _ F _ _ Hin) as (p & q & Gp & Gq & Cc).
      simpl in Ox, Oy |- *. rewrite Gp, Gq. destruct Ox as [Tx (p' & w & Gx & Wx & Lx)]. rewrite Gp in Gx. inversion Gx; subst p'.
      destruct Oy as [_ (_ & w' & _ & _ & Ly)]. rewrite <- (one_chain_ok ch ch' _ _ i H3 (Lx i Hi) (Ly i Hi)).
      eapply Cc; eauto. eapply lands_root; eauto.
    + destruct (made_of b (f_before f) k slot) as [m|] eqn:M; [|discriminate].
      destruct (made_of a (f_after f) k' slot') as [m'|] eqn:M'; [|destruct m; discriminate].
      destruct (made_of_ok b mb Rb (f_before f) (before_ok _ F) _ _ _ _ _ M Ox) as [V1 O1].
      destruct (made_of_ok a ma Ra (f_after f) (after_ok _ F) _ _ _ _ _ M' Oy) as [V2 O2]. rewrite V1, V2 by auto.
      destruct m as [key ty|kd key ty rs], m' as [key' ty'|kd' key' ty' rs']; simpl in H; try discriminate.
      * apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1, H2. subst. auto.
      * apply andb_true_iff in H as [H H5]. apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3].
        apply andb_true_iff in H as [H1 H2]. apply is_true in H1. apply N.eqb_eq in H2, H3. subst. unfold made_val. f_equal.
        -- apply (all2_map_eq _ _ _ _ _ H4). intros p q _ _ E. apply N.eqb_eq in E. auto.
        -- apply (all2_map_eq _ _ _ _ _ H5). intros p q Ip Iq E. apply (Eq _ _ sh E); auto.
Qed.

Lemma equal_ok n f : facts_ok f -> forall x y sh, equal cval fresh b a ib ia fuel n f x y = true -> ok_b x sh -> ok_a y sh ->
  forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F. induction n; intros x y sh H Ox Oy i Hi; [discriminate|]. cbn [equal] in H.
  destruct (seek_ok b ib mb Rb ib_ok _ (before_ok _ F) fuel (known_same cval a ib ia fuel f y) x sh _ eq_refl Ox) as (Ox' & Vx & Tx).
  rewrite Vx by auto. apply orb_true_iff in H as [H|H].
  - specialize (Tx H). eapply known_same_ok; eauto.
  - destruct (origin_ok a ia ma Ra ia_ok _ (after_ok _ F) fuel y sh Oy) as [Oy' Vy]. rewrite Vy by auto. eapply alike_ok; eauto.
Qed.
End Two.
Arguments facts_ok {nv V} op b a mb ma f.
Arguments same_ok {nv V op b a mb ma} f _ s v s' v'.
Arguments call_ok {nv V op b a mb ma} f _ k k'.
Arguments before_ok {nv V op b a mb ma} f _.
Arguments after_ok {nv V op b a mb ma} f _.
