(* Two runs: what a lemma of a certificate adds to what is known, is so. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Follow Check Points Latest Maps Contents Equal PointsRight PointsEqual.
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
Variable ids : list (term * term).
Hypothesis Ids : identities_hold V op ids.
Lemma equal_by_right n f : facts_ok f -> forall x y sh, equal_by cval fresh b a ib ia fuel points n f sh x y = true ->
  ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F x y sh H Ox Oy i Hi. unfold equal_by in H. apply orb_true_iff in H as [H|H].
  - exact (equal_ok fresh b a ib ia mb ma fuel Rb Ra ib_ok ia_ok Begin n f F x y sh H Ox Oy i Hi).
  - exact (each_point_ok fresh b a ib ia mb ma fuel Rb Ra ib_ok ia_ok Begin points n f sh x y F Points_ok H Ox Oy i Hi).
Qed.
Lemma slots_of_ok st s i w : In (i, w) (slots_of st s) <-> nth_error (s_writes st) i = Some w /\ v_st w = s.
Proof.
  unfold slots_of. rewrite filter_In. simpl. rewrite N.eqb_eq. split; intros [H E]; split; auto; [apply numbered_in | apply in_numbered]; auto.
Qed.
Lemma cell_dec (w : view) c : {exists i, inbox (v_sh w) i /\ root (v_maps w) i = c} +
  {~ exists i, inbox (v_sh w) i /\ root (v_maps w) i = c}.
Proof.
  destruct (in_dec (list_eq_dec Z.eq_dec) c (map (root (v_maps w)) (box (map nv (v_sh w))))) as [H|H].
  - left. apply in_map_iff in H as (i & E & Hi). exists i; auto.
  - right. intros (i & Hi & E). apply H. apply in_map_iff. exists i; auto.
Qed.

(* the latest write into a whole storage: what it wrote, and what was there before *)
Section Last.
Variables (t : trace) (ix : index) (mt : N -> mem V).
Hypothesis R : run nv V op t mt.
Hypothesis ix_ok : forall s time v, prev ix s time = Some v -> latest t s time v.
Lemma last_write_ok x sh k st slot w : last_write cval t ix x = Some (k, st, slot, w) -> ok (nv := nv) t x sh -> sh = shape_of t (v_st w) ->
  ok (nv := nv) t (C (v_st w) k []) sh /\ ok (nv := nv) t (source st k slot []) (v_sh w) /\
  (forall j, inbox (v_sh w) j -> lands sh (v_maps w) j) /\
  (forall j, inbox (v_sh w) j -> val (nv := nv) (op := op) t mt x (root (v_maps w) j) = val (nv := nv) (op := op) t mt (source st k slot []) j) /\
  (forall i, (~ exists j, inbox (v_sh w) j /\ root (v_maps w) j = i) ->
     val (nv := nv) (op := op) t mt x i = val (nv := nv) (op := op) t mt (C (v_st w) k []) i) /\
  (puts_back st k slot w = true -> forall j, inbox (v_sh w) j ->
     val (nv := nv) (op := op) t mt (source st k slot []) j = val (nv := nv) (op := op) t mt (C (v_st w) k []) (root (v_maps w) j)).
Proof.
  intros H O Sh. destruct x as [s time [|]|]; try discriminate. cbn [last_write] in H. destruct O as [Ht Hl].
  destruct (prev ix s time) as [[p|]|] eqn:P; try discriminate. apply ix_ok in P. destruct (get p (t_steps t)) as [st'|] eqn:G; [|discriminate].
  destruct (slots_of st' s) as [|[i0 w0] [|]] eqn:Sl; try discriminate. apply guard_some in H as [Cn E]. inversion E; subst p st' i0 w0; clear E.
  assert (Hk : (k < t_n t)%N) by (destruct P as (_ & P2 & _); lia).
  assert (Is : In (slot, w) (slots_of st s)) by (rewrite Sl; left; auto). apply slots_of_ok in Is as [Hw Es]. subst s.
  destruct (step_of t mt R k Hk) as (st' & G' & B & F & Cl). rewrite G in G'. inversion G'; subst st'. apply cleans_ok in Cn; auto. specialize (Cl Cn).
  assert (Lw : forall j, inbox (v_sh w) j -> lands sh (v_maps w) j).
  { intros j Hj. rewrite Sh. apply (B w); auto. apply in_or_app. right. eapply nth_error_In; eauto. }
  destruct (source_ok t mt R k st slot w (v_sh w) [] Hk G Hw (fun i Hi => Hi)) as [S1 S2].
  split; [split; [lia | exact Hl]|]. split; auto. split; auto. split; [|split].
  - intros j Hj. rewrite S2. cbn [val]. change (root [] (root (v_maps w) j)) with (root (v_maps w) j). change (root [] j) with j.
    rewrite (since t mt R _ _ _ _ Ht P). apply Cl; auto.
  - intros i Ni. cbn [val]. rewrite (since t mt R _ _ _ _ Ht P). apply F. intros w' Hw' [Es (j & Hj & Ej)]. apply In_nth_error in Hw' as [q Hq].
    assert (I : In (q, w') (slots_of st (v_st w))) by (apply slots_of_ok; auto). rewrite Sl in I. destruct I as [I|[]]. inversion I; subst. eauto.
  - unfold puts_back. intros Pb j Hj. destruct (source st k slot []) as [s' t' ch|]; [|discriminate]. apply andb_true_iff in Pb as [Pb P3].
    apply andb_true_iff in Pb as [P1 P2]. apply N.eqb_eq in P1, P2. apply is_true in P3. subst s' t' ch. reflexivity.
Qed.
End Last.
Definition in_hole (holes : list hole) (i : list Z) : Prop :=
  exists h j, In h holes /\ inbox (fst h) j /\ root (snd h) j = i.
Lemma within_ok holes w j : in_hole (within holes w) j -> in_hole holes (root (v_maps w) j).
Proof.
  unfold within. intros (h & i & Hh & Hi & <-). apply in_flat_map in Hh as ([e u] & Hu & Hh). cbn [fst snd] in Hh.
  destruct (strip (v_maps w) u) as [r|] eqn:S; [|destruct Hh]. destruct Hh as [<-|[]]. apply strip_ok in S.
  exists (e, u), i. cbn [fst snd] in *. split; auto. split; auto. rewrite S. apply root_app.
Qed.
Lemma is_hole_ok holes sh ms j : is_hole holes sh ms = true -> inbox sh j -> in_hole holes (root ms j).
Proof.
  unfold is_hole. intros H Hj. apply existsb_exists in H as ([e u] & Hu & H). cbn [fst snd] in H. apply andb_true_iff in H as [H1 H2].
  apply is_true in H1, H2. subst. exists (sh, ms), j. auto.
Qed.
Lemma spliced_right m n f : facts_ok f -> forall sh holes x y, spliced cval fresh b a ib ia fuel m n f sh holes x y = true ->
  ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> ~ in_hole holes i -> val_b x i = val_a y i.
Proof.
  intros F. induction m as [|m IH]; intros sh holes x y H Ox Oy i Hi Ni; [discriminate|]. cbn [spliced] in H.
  apply orb_true_iff in H as [H|H]; [apply orb_true_iff in H as [H|H]; [apply orb_true_iff in H as [H|H]; [apply orb_true_iff in H as [H|H]|]|]|].
  - exfalso. apply Ni. exact (is_hole_ok holes sh [] i H Hi).
  - exact (equal_ok fresh b a ib ia mb ma fuel Rb Ra ib_ok ia_ok Begin n f F x y sh H Ox Oy i Hi).
  - destruct (last_write cval a ia y) as [[[[k q] slot] w]|] eqn:L; [|discriminate]. apply andb_true_iff in H as [Sh H]. apply is_true in Sh.
    destruct (last_write_ok a ia ma Ra ia_ok y sh k q slot w L Oy Sh) as (Op & Os & Lw & Vw & Vr & Vp).
    destruct (cell_dec w i) as [(j & Hj & E)|D].
    + destruct (puts_back q k slot w) eqn:Pb.
      * rewrite <- E, Vw, (Vp eq_refl j Hj) by auto. rewrite E. exact (IH sh holes x _ H Ox Op i Hi Ni).
      * apply andb_true_iff in H as [H _]. apply orb_true_iff in H as [H|H].
        -- exfalso. apply Ni. rewrite <- E. exact (is_hole_ok _ _ _ j H Hj).
        -- destruct (append_ok (op := op) b mb x sh (v_sh w) (v_maps w) Ox Lw) as [Oa Va]. rewrite <- E, Vw by auto. rewrite <- Va.
           destruct (origin_ok b ib mb Rb ib_ok _ (before_ok _ F) fuel _ (v_sh w) Oa) as [Oo Vo]. rewrite Vo by auto.
           refine (IH (v_sh w) _ _ _ H Oo Os j Hj _). intros I. apply within_ok in I. rewrite E in I. auto.
    + rewrite (Vr i D). destruct (puts_back q k slot w); [exact (IH sh holes x _ H Ox Op i Hi Ni)|]. apply andb_true_iff in H as [_ H].
      refine (IH sh _ x _ H Ox Op i Hi _). intros (h & j & [<-|Hh] & Hj & E); [apply D; exists j; auto | apply Ni; exists h, j; auto].
  - destruct (last_write cval b ib x) as [[[[k p] slot] w]|] eqn:L; [|discriminate]. apply andb_true_iff in H as [H H2].
    apply andb_true_iff in H as [Sh H]. apply is_true in Sh.
    destruct (last_write_ok b ib mb Rb ib_ok x sh k p slot w L Ox Sh) as (Op & Os & Lw & Vw & Vr & Vp).
    destruct (cell_dec w i) as [(j & Hj & E)|D]; [|rewrite (Vr i D); exact (IH sh holes _ y H2 Op Oy i Hi Ni)]. rewrite <- E, Vw by auto.
    apply orb_true_iff in H as [H|H].
    + rewrite (Vp H j Hj), E. exact (IH sh holes _ y H2 Op Oy i Hi Ni).
    + destruct (append_ok (op := op) a ma y sh (v_sh w) (v_maps w) Oy Lw) as [Oa Va]. rewrite <- Va.
      destruct (origin_ok a ia ma Ra ia_ok _ (after_ok _ F) fuel _ (v_sh w) Oa) as [Oo Vo]. rewrite Vo by auto.
      refine (IH (v_sh w) _ _ _ H Os Oo j Hj _).
      intros I. apply within_ok in I. rewrite E in I. auto.
  - apply andb_true_iff in H as [_ H]. destruct (origin_ok b ib mb Rb ib_ok _ (before_ok _ F) fuel _ sh Ox) as [Ob Vb].
    destruct (origin_ok a ia ma Ra ia_ok _ (after_ok _ F) fuel _ sh Oy) as [Oa Va]. rewrite Vb, Va by auto.
    exact (IH sh holes _ _ H Ob Oa i Hi Ni).
Qed.
Lemma equal_right n f : facts_ok f -> forall x y sh, equal cval fresh b a ib ia fuel points n f sh x y = true ->
  ok_b x sh -> ok_a y sh -> forall i, inbox sh i -> val_b x i = val_a y i.
Proof.
  intros F x y sh H Ox Oy i Hi. unfold equal in H. apply orb_true_iff in H as [H|H]; [exact (equal_by_right n f F x y sh H Ox Oy i Hi)|].
  apply andb_true_iff in H as [_ H]. apply (spliced_right most_splices n f F sh [] x y H Ox Oy i Hi). intros (h & j & [] & _).
Qed.
Lemma at2_add2 {A} (m : PM.t (PM.t A)) j k x j' k' :
  at2 (add2 m j k x) j' k' = if N.eq_dec j' j then if N.eq_dec k' k then Some x else at2 m j' k' else at2 m j' k'.
Proof.
  unfold at2, add2. destruct (N.eq_dec j' j) as [->|].
  - rewrite get_add_same. destruct (N.eq_dec k' k) as [->|]; [apply get_add_same|]. rewrite get_add_other by auto.
    destruct (get j m); auto. unfold get. rewrite PM.gempty. auto.
  - rewrite get_add_other; auto.
Qed.
Lemma learned_ok f s t s' t' g : facts_ok f -> (t <= t_n b)%N -> (t' <= t_n a)%N -> same_shape b a s s' = true ->
  (forall i, inbox (shape_of b s) i -> mb t s i = ma t' s' i) -> learned ib ia f s t s' t' = Some g -> facts_ok g.
Proof.
  intros F Ht Ht' Hs H G. apply is_true in Hs. unfold learned in G.
  destruct (version ib s t) as [v1|] eqn:E1; [|discriminate]. destruct (version ia s' t') as [v2|] eqn:E2; [|discriminate].
  inversion G; subst g; clear G. split; simpl; try apply F. intros u v u' v' Hin. unfold list2 in Hin. rewrite at2_add2 in Hin.
  destruct (N.eq_dec u s) as [->|]; [|apply F; auto]. destruct (N.eq_dec v v1) as [->|]; [|apply F; auto].
  destruct Hin as [E|]; [|apply F; auto]. injection E as <- <-. split; auto. intros i Hi.
  rewrite <- (version_ok b ib mb Rb ib_ok s t v1), <- (version_ok a ia ma Ra ia_ok s' t' v2); auto.
Qed.
Lemma whole_b s t : (t <= t_n b)%N -> ok_b (C s t []) (shape_of b s).
Proof. intros; split; auto. Qed.
Lemma whole_a s t : (t <= t_n a)%N -> ok_a (C s t []) (shape_of a s).
Proof. intros; split; auto. Qed.
Lemma all2_left {A B} (f : A -> B -> bool) l m x : all2 f l m = true -> In x l -> exists y, In y m /\ f x y = true.
Proof.
  revert m; induction l; destruct m; simpl; intros H I; try discriminate; [contradiction|]. apply andb_true_iff in H as [H1 H2].
  destruct I as [->|I]; [eauto|]. destruct (IHl m H2 I) as (y & Hy & E). eauto.
Qed.
Lemma all2_right {A B} (f : A -> B -> bool) l m y : all2 f l m = true -> In y m -> exists x, In x l /\ f x y = true.
Proof.
  revert m; induction l; destruct m; simpl; intros H I; try discriminate; [contradiction|]. apply andb_true_iff in H as [H1 H2].
  destruct I as [->|I]; [eauto|]. destruct (IHl m H2 I) as (x & Hx & E). eauto.
Qed.
Lemma some_cell (ws : list (nat * view)) c :
  {exists p i, In p ws /\ inbox (v_sh (snd p)) i /\ root (v_maps (snd p)) i = c} +
  {forall p i, In p ws -> inbox (v_sh (snd p)) i -> root (v_maps (snd p)) i <> c}.
Proof.
  induction ws as [|p ws IH]; [right; intros ? ? []|]. destruct (cell_dec (snd p) c) as [H|H].
  - left. destruct H as (i & Hi & E). exists p, i. simpl. auto.
  - destruct IH as [IH|IH]; [left; destruct IH as (q & i & Hq & R); exists q, i; simpl; auto|].
    right. intros q i [<-|Hq] Hi E; [apply H; eauto | eapply IH; eauto].
Qed.
Lemma learn_ok n f l g : facts_ok f -> learn cval ids fresh b a ib ia fuel points n f l = Some g -> facts_ok g.
Proof.
  intros F H. destruct l as [k k'|s t s' t'|s t s' t'|side k e]; simpl in H.
  - destruct (get k (t_steps b)) as [p|] eqn:G; [|discriminate]. destruct (get k' (t_steps a)) as [q|] eqn:G'; [|discriminate].
    apply guard_some in H as [H E]. inversion E; subst g; clear E.
    apply andb_true_iff in H as [H HO]. apply andb_true_iff in H as [H He].
    apply andb_true_iff in H as [H Hop]. apply andb_true_iff in H as [L L']. apply N.ltb_lt in L, L'.
    unfold one_op in Hop. apply andb_true_iff in Hop as [Hop Hw]. apply andb_true_iff in Hop as [Hop Hr].
    apply andb_true_iff in Hop as [Hop Hel]. apply andb_true_iff in Hop as [Hk' Hy].
    apply is_true in Hk'. apply N.eqb_eq in Hy. apply eqb_prop in Hel.
    split; simpl; try apply F. intros j j' Hin. apply entries_put in Hin as [[-> ->]|]; [|apply F; auto].
    exists p, q. split; auto. split; auto. intros slot w i Hw1 Hi.
    assert (exists w', nth_error (s_writes q) slot = Some w').
    { destruct (nth_error (s_writes q) slot) eqn:D; eauto. apply nth_error_None in D.
      rewrite <- (all2_length _ _ _ Hw) in D. apply nth_error_None in D. congruence. }
    destruct H as [w' Hw2]. pose proof (all2_nth _ _ _ _ _ _ Hw Hw1 Hw2) as T. apply andb_true_iff in T as [T1 T2].
    apply N.eqb_eq in T1.
    assert (Ty : forall r r', one_type r r' = true -> v_ty r = v_ty r' /\ v_sh r = v_sh r').
    { intros r r' T. apply andb_true_iff in T as [U U']. apply N.eqb_eq in U. apply is_true in U'. auto. }
    assert (O : forall r r' i, In r (s_reads p) -> In r' (s_reads q) -> v_sh r = v_sh r' -> inbox (v_sh r) i ->
       equal cval fresh b a ib ia fuel points n f (v_sh r) (C (v_st r) k (v_maps r)) (C (v_st r') k' (v_maps r')) = true ->
       elem (mb k) r i = elem (ma k') r' i).
    { intros r r' x Ir Ir' Es Hx E.
      refine (equal_right n f F _ _ (v_sh r) E _ _ x Hx); split; try lia.
      - eapply in_bounds_of; eauto. apply in_or_app; auto.
      - rewrite Es. eapply in_bounds_of; eauto. apply in_or_app; auto. }
    unfold Sem.result. rewrite Hw1, Hw2, <- Hk', <- Hel, <- Hy, <- T1.
    assert (Tys : map v_ty (s_reads p) = map v_ty (s_reads q)).
    { apply (all2_map_eq _ _ _ _ _ Hr). intros r r' _ _ E. apply Ty; auto. }
    assert (Both : all2 (fun r r' => one_type r r' && equal cval fresh b a ib ia fuel points n f (v_sh r) (C (v_st r) k (v_maps r)) (C (v_st r') k' (v_maps r')))
                     (s_reads p) (s_reads q) = true).
    { apply all2_and; auto. }
    assert (Each : each_wise p = true -> slot = 0%nat /\ forall r, In r (s_reads p) -> v_sh r = v_sh w).
    { intros Ew. rewrite Ew in He. simpl in He. apply andb_true_iff in He as [He1 He2]. apply Nat.eqb_eq in He2.
      assert (slot = 0)%nat. { assert (slot < length (s_writes p))%nat by (apply nth_error_Some; congruence). lia. }
      split; auto. subst slot. unfold reads_fit, fit in He1. rewrite Hw1 in He1. rewrite forallb_forall in He1.
      intros r Ir. apply (is_true _ (He1 _ Ir)). }
    clear He. unfold each_wise in Each. destruct (s_kind p) eqn:Kp; auto.
    + destruct (Each eq_refl) as [_ Er]. clear Each.
      destruct (s_reads p) as [|r rs], (s_reads q) as [|r' rs']; try discriminate; auto.
      simpl in Both. apply andb_true_iff in Both as [E _]. apply andb_true_iff in E as [E1 E2].
      destruct (Ty _ _ E1) as [U Es]. rewrite <- U. rewrite (O r r' i); auto; try (left; auto).
      rewrite (Er r); auto. left; auto.
    + destruct (s_elem p) eqn:Ep.
      * destruct (Each eq_refl) as [_ Er].
        rewrite <- Tys. f_equal. apply (all2_map_eq _ _ _ _ _ Both). intros r r' Ir Ir' E.
        apply andb_true_iff in E as [E1 E2]. destruct (Ty _ _ E1) as [_ Es]. apply O; auto. rewrite (Er _ Ir). auto.
      * f_equal.
        -- apply (all2_map_eq _ _ _ _ _ Hw). intros v v' _ _ E. destruct (Ty _ _ E) as [-> ->]. auto.
        -- apply (all2_map_eq _ _ _ _ _ Both). intros r r' Ir Ir' E. apply andb_true_iff in E as [E1 E2].
           destruct (Ty _ _ E1) as [U Es]. unfold operand. rewrite U, <- Es. f_equal. apply map_ext_in. intros x Hx. apply O; auto.
  - apply guard_some in H as [H EG].
    apply andb_true_iff in H as [H HE]. apply andb_true_iff in H as [H L']. apply andb_true_iff in H as [Hs L].
    apply N.leb_le in L, L'. pose proof (is_true _ Hs) as Es. apply (learned_ok f s t s' t'); auto. intros i Hi.
    refine (equal_right n f F _ _ _ HE (whole_b s t L) _ i Hi). rewrite Es. apply whole_a; auto.
  - destruct (prev ib s t) as [[k|]|] eqn:P; try discriminate. destruct (prev ia s' t') as [[k'|]|] eqn:P'; try discriminate.
    destruct (get k (t_steps b)) as [p|] eqn:G; [|discriminate]. destruct (get k' (t_steps a)) as [q|] eqn:G'; [|discriminate].
    apply guard_some in H as [H EG]. apply andb_true_iff in H as [H E2]. apply andb_true_iff in H as [H E1].
    apply andb_true_iff in H as [H Cq]. apply andb_true_iff in H as [H Cp].
    apply andb_true_iff in H as [H L']. apply andb_true_iff in H as [Hs L]. apply N.leb_le in L, L'.
    pose proof (is_true _ Hs) as Es.
    apply ib_ok in P. apply ia_ok in P'. pose proof P as (_ & Q2 & _). pose proof P' as (_ & Q2' & _).
    assert (Lk : (k < t_n b)%N) by lia. assert (Lk' : (k' < t_n a)%N) by lia.
    destruct (step_of b mb Rb k Lk) as (p' & Gp & Bp & Fp & Xp). rewrite G in Gp; inversion Gp; subst p'; clear Gp.
    destruct (step_of a ma Ra k' Lk') as (q' & Gq & Bq & Fq & Xq). rewrite G' in Gq; inversion Gq; subst q'; clear Gq.
    apply (cleans_ok b) in Cp; auto. apply (cleans_ok a) in Cq; auto. specialize (Xp Cp). specialize (Xq Cq).
    set (test := fun x y : nat * view => _) in E2.
    assert (Same : forall i w j w', In (i, w) (slots_of p s) -> In (j, w') (slots_of q s') -> test (i, w) (j, w') = true ->
      v_maps w = v_maps w' /\ v_sh w = v_sh w' /\ forall x, inbox (v_sh w) x -> result p (mb k) i x = result q (ma k') j x).
    { intros i w j w' I I' T. apply slots_of_ok in I as [W _]. apply slots_of_ok in I' as [W' _]. unfold test in T. cbn [fst snd] in T.
      apply andb_true_iff in T as [T T3]. apply andb_true_iff in T as [T1 T2]. apply is_true in T1, T2. split; auto. split; auto.
      intros x Hx. destruct (source_ok b mb Rb k p i w (v_sh w) []) as [S1 S2]; auto.
      destruct (source_ok a ma Ra k' q j w' (v_sh w) []) as [S3 S4]; auto. { rewrite <- T2. auto. }
      change x with (root [] x) at 1 2. rewrite <- S2, <- S4. eapply equal_right; eauto. }
    apply (learned_ok f s t s' t'); auto. intros c Hc.
    assert (V1 : mb t s c = mb (N.succ k) s c) by (apply (since b mb Rb); auto).
    assert (V2 : ma t' s' c = ma (N.succ k') s' c) by (apply (since a ma Ra); auto).
    rewrite V1, V2. destruct (some_cell (slots_of p s) c) as [Y|Y].
    + destruct Y as ([i w] & x & I & Hx & E). cbn [snd] in *. destruct (all2_left _ _ _ _ E2 I) as ([j w'] & I' & T).
      destruct (Same i w j w' I I' T) as (Em & Eh & R). apply slots_of_ok in I as [W Ew]. apply slots_of_ok in I' as [W' Ew'].
      rewrite <- E. rewrite <- Ew at 1. rewrite (Xp i w x) by auto. rewrite <- Ew', Em, (Xq j w' x) by (auto; rewrite <- Eh; auto). apply R; auto.
    + rewrite Fp, Fq.
      * apply orb_true_iff in E1 as [E1|E1].
        { exfalso. unfold whole_write in E1. destruct (slots_of p s) as [|[i w] [|]] eqn:D; try discriminate.
          destruct (v_maps w) eqn:M; [|discriminate]. apply is_true in E1. apply (Y (i, w) c); [left; auto | |]; cbn [snd].
          - rewrite E1. auto.
          - rewrite M. auto. }
        refine (equal_right n f F _ _ _ E1 (whole_b s k _) _ c Hc); [lia|]. rewrite Es. apply whole_a; lia.
      * intros v Hv [Ev (x & Hx & Er)]. apply In_nth_error in Hv as (j & Hj).
        assert (I' : In (j, v) (slots_of q s')) by (apply slots_of_ok; auto). destruct (all2_right _ _ _ _ E2 I') as ([i w] & I & T).
        destruct (Same i w j v I I' T) as (Em & Eh & _). apply (Y (i, w) x I); cbn [snd]; [rewrite Eh | rewrite Em]; auto.
      * intros v Hv [Ev (x & Hx & Er)]. apply In_nth_error in Hv as (i & Hi'). apply (Y (i, v) x); cbn [snd]; auto.
        apply slots_of_ok; auto.
  - destruct (nth_error ids e) as [id|] eqn:E; [|discriminate]. apply nth_error_In in E.
    assert (Id : forall vs, value V op vs (fst id) = value V op vs (snd id)) by (intros vs; apply Ids; destruct id; auto).
    destruct side.
    + destruct (instance cval b ib (f_before f) fuel k id) as [x|] eqn:H'; [|discriminate]. inversion H; subst g; clear H.
      pose proof (instance_ok b ib mb Rb ib_ok _ (before_ok _ F) _ _ _ _ H' Id) as S.
      split; simpl; try apply F. apply simple_add; auto. apply F.
    + destruct (instance cval a ia (f_after f) fuel k id) as [x|] eqn:H'; [|discriminate]. inversion H; subst g; clear H.
      pose proof (instance_ok a ia ma Ra ia_ok _ (after_ok _ F) _ _ _ _ H' Id) as S.
      split; simpl; try apply F. apply simple_add; auto. apply F.
Qed.
Lemma learn_all_ok n ls : forall f g, facts_ok f -> learn_all cval ids fresh b a ib ia fuel points n f ls = Some g -> facts_ok g.
Proof.
  induction ls as [|l ls IH]; simpl; intros f g F H; [inversion H; subst; auto|].
  destruct (learn cval ids fresh b a ib ia fuel points n f l) as [h|] eqn:E; [|discriminate]. exact (IH h g (learn_ok _ _ _ _ F E) H).
Qed.
End Two.
