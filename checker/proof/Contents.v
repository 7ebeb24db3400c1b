(* One run, and contents followed back in it. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Follow Latest Maps.
Import ListNotations.

Section Contents.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval} {V : Type} {op : ops V}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation lands := (lands nv).
Notation elem := (elem nv V).
Notation result := (result nv V op).
Variables (t : trace) (ix : index) (mt : N -> mem V).
Hypothesis R : run nv V op t mt.
Hypothesis ix_ok : forall s time v, prev ix s time = Some v -> latest t s time v.

Lemma step_of k : (k < t_n t)%N -> exists st, get k (t_steps t) = Some st /\ exec nv V op t st (mt k) (mt (N.succ k)).
Proof.
  intros Hk. destruct R as (H & H' & _). destruct (get k (t_steps t)) as [st|] eqn:E.
  - exists st. split; [auto | apply H; auto].
  - exfalso. apply (H' k); auto.
Qed.
Lemma stays s lo hi : (lo <= hi)%N -> (hi <= t_n t)%N ->
  (forall k, (lo <= k)%N -> (k < hi)%N -> ~ stores t k s) -> forall c, mt hi s c = mt lo s c.
Proof.
  revert lo. induction hi using N.peano_ind; intros lo H1 H2 H3 c.
  - replace lo with 0%N by lia. auto.
  - destruct (N.eq_dec lo (N.succ hi)) as [->|]; auto.
    rewrite <- (IHhi lo); try lia; [|intros k Hk L; apply H3; lia].
    destruct (step_of hi) as (st & Hg & _ & F & _); [lia|]. apply F. intros w Hw [Es _].
    apply (H3 hi); try lia. exists st. split; auto. subst. apply in_map; auto.
Qed.
Lemma since s time k c : (time <= t_n t)%N -> latest t s time (Some k) -> mt time s c = mt (N.succ k) s c.
Proof.
  intros H (P1 & P2 & P3). apply stays; auto; [lia|]. intros j L L' S. specialize (P3 _ L' S). lia.
Qed.
Lemma version_ok s time v c : (time <= t_n t)%N -> version ix s time = Some v -> mt time s c = mt v s c.
Proof.
  intros H V1. unfold version in V1. destruct (prev ix s time) as [p|] eqn:P; [|discriminate]. apply ix_ok in P.
  destruct p as [p|]; inversion V1; subst.
  - apply since; auto.
  - apply stays; [lia | auto |]. intros k _ L. apply (P k L).
Qed.

Definition val (x : content) (i : list Z) : V :=
  match x with
  | C s time ch => mt time s (root ch i)
  | St k slot ch => match get k (t_steps t) with Some st => result st (mt k) slot (root ch i) | None => o_fill V op 0 0 end
  end.
Definition ok (x : content) (sh : list num) : Prop :=
  match x with
  | C s time ch => (time <= t_n t)%N /\ forall i, inbox sh i -> lands (shape_of t s) ch i
  | St k slot ch => (k < t_n t)%N /\ exists st w, get k (t_steps t) = Some st /\ nth_error (s_writes st) slot = Some w /\
      forall i, inbox sh i -> lands (v_sh w) ch i
  end.
Lemma in_bounds_of k st v : (k < t_n t)%N -> get k (t_steps t) = Some st -> In v (s_reads st ++ s_writes st) ->
  in_bounds nv t v.
Proof. intros Hk Hg Hv. destruct (step_of k Hk) as (st' & Hg' & B & _). rewrite Hg in Hg'. inversion Hg'; subst. auto. Qed.

(* an operand at what [ch] leads to *)
Lemma operand_ok k st r sh sh' ch : (k < t_n t)%N -> get k (t_steps t) = Some st -> In r (s_reads st) -> v_sh r = sh ->
  (forall i, inbox sh' i -> lands sh ch i) ->
  ok (C (v_st r) k (v_maps r ++ ch)) sh' /\
  forall i, val (C (v_st r) k (v_maps r ++ ch)) i = elem (mt k) r (root ch i).
Proof.
  intros Hk Hg Hr <- Hl. split.
  - simpl. split; [lia|]. intros i Hi. eapply lands_app; eauto.
    intros j Hj. eapply in_bounds_of; eauto. apply in_or_app; auto.
  - intros i. simpl. unfold Sem.elem. rewrite root_app. auto.
Qed.
Lemma source_ok k st slot w sh ch : (k < t_n t)%N -> get k (t_steps t) = Some st ->
  nth_error (s_writes st) slot = Some w -> (forall i, inbox sh i -> lands (v_sh w) ch i) ->
  ok (source st k slot ch) sh /\ forall i, val (source st k slot ch) i = result st (mt k) slot (root ch i).
Proof.
  intros Hk Hg Hw Hl. assert (D : ok (St k slot ch) sh /\ forall i, val (St k slot ch) i = result st (mt k) slot (root ch i)).
  { split; simpl; [|intros; rewrite Hg; auto]. split; auto. exists st, w. auto. }
  unfold source. destruct (s_kind st) eqn:K; auto. destruct (s_reads st) as [|r rs] eqn:Rd; auto. rewrite Hw.
  destruct (N.eqb (v_ty r) (v_ty w) && is (nums_dec (v_sh r) (v_sh w))) eqn:T; auto.
  apply andb_true_iff in T as [T1 T2]. apply is_true in T2.
  destruct (operand_ok k st r (v_sh w) sh ch) as [O1 O2]; auto. { rewrite Rd; left; auto. }
  split; auto. intros i. rewrite O2. unfold Sem.result. rewrite Hw, K, Rd, T1. auto.
Qed.
Lemma strip_ok p l r : strip p l = Some r -> l = p ++ r.
Proof.
  revert l; induction p; simpl; intros l H; [congruence|]. destruct l; [discriminate|].
  destruct (imap_dec a i); [|discriminate]. subst. f_equal; auto.
Qed.
Lemma find_hit_ok ws n s ch slot rest : find_hit ws n s ch = Some (slot, rest) ->
  exists w, (n <= slot)%nat /\ nth_error ws (slot - n) = Some w /\ v_st w = s /\ ch = v_maps w ++ rest.
Proof.
  revert n; induction ws as [|w ws IH]; simpl; intros n H; [discriminate|].
  assert (G : find_hit ws (S n) s ch = Some (slot, rest) -> exists w0, (n <= slot)%nat /\
    nth_error (w :: ws) (slot - n) = Some w0 /\ v_st w0 = s /\ ch = v_maps w0 ++ rest).
  { intros G. apply IH in G as (w' & L & Hn & E). exists w'. split; [lia|]. split; auto.
    replace (slot - n)%nat with (S (slot - S n)) by lia. auto. }
  destruct (N.eqb_spec (v_st w) s); auto. destruct (strip (v_maps w) ch) eqn:D; auto. inversion H; subst. exists w. split; auto. rewrite Nat.sub_diag. simpl. repeat split; auto. apply strip_ok; auto.
Qed.
Lemma append_ok x sh' sh ch : ok x sh' -> (forall i, inbox sh i -> lands sh' ch i) ->
  ok (append x ch) sh /\ forall i, val (append x ch) i = val x (root ch i).
Proof.
  intros O L. destruct x as [s time c|k slot c]; simpl in *.
  - destruct O as [Ht Hl]. split; [split; auto; intros i Hi; eapply lands_app; eauto|]. intros i. rewrite root_app. auto.
  - destruct O as [Hk (st & w & Hg & Hw & Hl)]. split; [|intros i; rewrite root_app; auto]. split; auto. exists st, w.
    split; auto. split; auto. intros i Hi. eapply lands_app; eauto.
Qed.
(* what an identity says of a step *)
Definition simpler_ok (k : N) (x : simpler) : Prop := (k < t_n t)%N /\ exists st, get k (t_steps t) = Some st /\
  forall slot w, nth_error (s_writes st) slot = Some w ->
  match x with
  | Keeps y => ok y (v_sh w) /\ forall i, inbox (v_sh w) i -> result st (mt k) slot i = val y i
  | Scalar key ty => forall i, inbox (v_sh w) i -> result st (mt k) slot i = o_fill V op key ty
  | Calls key js => exists rs, picks (s_reads st) js = Some rs /\ forall i, inbox (v_sh w) i ->
      result st (mt k) slot i = o_each V op key Opaque (v_ty w) (map v_ty rs) (map (fun r => elem (mt k) r i) rs)
  | Casts from y => ok y (v_sh w) /\ forall i, inbox (v_sh w) i ->
      result st (mt k) slot i = o_each V op 0 Move (v_ty w) [from] [val y i]
  end.
Definition simple_ok (sm : simple) : Prop := forall k x, get k sm = Some x -> simpler_ok k x.
Lemma simple_none : simple_ok (PM.empty _).
Proof. intros k x H. unfold get in H. rewrite PM.gempty in H. discriminate. Qed.
Lemma simple_add sm k x : simple_ok sm -> simpler_ok k x -> simple_ok (PM.add (N.succ_pos k) x sm).
Proof.
  intros S X j y H. destruct (N.eq_dec j k) as [->|].
  - rewrite get_add_same in H. inversion H; subst; auto.
  - rewrite get_add_other in H by auto. apply S; auto.
Qed.
Variable sm : simple.
Hypothesis sm_ok : simple_ok sm.
Lemma kept_ok k y st slot w : kept sm k = Some y -> get k (t_steps t) = Some st -> nth_error (s_writes st) slot = Some w ->
  ok y (v_sh w) /\ forall i, inbox (v_sh w) i -> result st (mt k) slot i = val y i.
Proof.
  unfold kept. destruct (get k sm) as [[x| | |]|] eqn:G; try discriminate. intros E Hg Hw. inversion E; subst x.
  destruct (sm_ok _ _ G) as (_ & st' & Hg' & S). rewrite Hg in Hg'. inversion Hg'; subst st'. apply (S slot w Hw).
Qed.
Lemma back_ok x y sh : back cval t ix sm x = Some y -> ok x sh -> ok y sh /\ forall i, inbox sh i -> val x i = val y i.
Proof.
  destruct x as [s time ch|k slot ch]; cbn [back].
  2: { destruct (kept sm k) as [z|] eqn:K; [|discriminate]. intros H [Hk (st & w & Hg & Hw & Hl)]. inversion H; subst y; clear H.
    destruct (kept_ok k z st slot w K Hg Hw) as [O E]. destruct (append_ok z (v_sh w) sh ch O Hl) as [A1 A2].
    split; auto. intros i Hi. rewrite A2. unfold val at 1. rewrite Hg. apply E. eapply lands_root; eauto. }
  simpl. intros H [Ht Hl].
  destruct (prev ix s time) as [[k|]|] eqn:P; try discriminate. apply ix_ok in P.
  assert (Hk : (k < t_n t)%N) by (destruct P as (_ & P2 & _); lia).
  destruct (step_of k Hk) as (st & Hg & B & F & Cl). rewrite Hg in H.
  assert (E : forall c, mt time s c = mt (N.succ k) s c) by (intros; apply since; auto).
  destruct (find_hit (s_writes st) 0 s ch) as [[slot rest]|] eqn:D.
  - apply guard_some in H as [Hc H]. inversion H; subst y; clear H.
    apply find_hit_ok in D as (w & _ & Hw & Es & ->). rewrite Nat.sub_0_r in Hw.
    assert (Hf : fits_chk t w = true).
    { unfold clean_chk in Hc. apply andb_true_iff in Hc as [Hc _]. apply andb_true_iff in Hc as [Hc _]. rewrite forallb_forall in Hc.
      specialize (Hc _ (nth_error_In _ _ Hw)). apply andb_true_iff in Hc. apply Hc. }
    apply is_true in Hf. apply (clean_ok t) in Hc; auto. specialize (Cl Hc).
    assert (Hl' : forall i, inbox sh i -> lands (v_sh w) rest i).
    { intros i Hi. rewrite <- Hf, Es. apply lands_app_end. auto. }
    destruct (source_ok k st slot w sh rest) as [S1 S2]; auto. split; auto. intros i Hi.
    rewrite S2, E, root_app. rewrite <- Es. apply Cl; auto. eapply lands_root; eauto.
  - apply guard_some in H as [Hm H]. inversion H; subst y; clear H. split; [split; [lia | auto]|]. intros i Hi.
    rewrite E. apply F. intros w Hw [Es (j & Hj & Er)]. rewrite forallb_forall in Hm. specialize (Hm _ Hw).
    apply orb_true_iff in Hm as [Hm|Hm].
    + apply negb_true_iff, N.eqb_neq in Hm. congruence.
    + assert (Bw : in_bounds nv t w) by (apply B, in_or_app; auto). eapply maps_apart_ok; eauto.
Qed.
Lemma walk_ok fuel test x sh : walk cval t ix sm fuel test x = true -> ok x sh ->
  exists y, test y = true /\ ok y sh /\ forall i, inbox sh i -> val x i = val y i.
Proof.
  revert x; induction fuel; simpl; intros x H O; apply orb_true_iff in H as [H|H]; try discriminate; eauto.
  destruct (back cval t ix sm x) as [z|] eqn:E; [|discriminate]. destruct (back_ok _ _ _ E O) as [O' V'].
  destruct (IHfuel _ H O') as (y & T & O'' & V''). exists y. split; auto. split; auto. intros i Hi. rewrite V', V''; auto.
Qed.
Lemma seek_ok fuel test x sh y : seek cval t ix sm fuel test x = y -> ok x sh ->
  ok (snd y) sh /\ (forall i, inbox sh i -> val x i = val (snd y) i) /\ (fst y = true -> test (snd y) = true).
Proof.
  revert x; induction fuel; simpl; intros x H O; destruct (test x) eqn:T; try (subst y; simpl; auto; fail).
  - subst y. simpl. repeat split; auto. discriminate.
  - destruct (back cval t ix sm x) as [z|] eqn:E; [|subst y; simpl; repeat split; auto; discriminate].
    destruct (back_ok _ _ _ E O) as [O' V']. destruct (IHfuel _ H O') as (O'' & V'' & T'). split; auto. split; auto.
    intros i Hi. rewrite V', V''; auto.
Qed.
Lemma origin_ok fuel x sh : ok x sh -> ok (origin cval t ix sm fuel x) sh /\
  forall i, inbox sh i -> val x i = val (origin cval t ix sm fuel x) i.
Proof.
  revert x; induction fuel; simpl; intros x O; auto. destruct (back cval t ix sm x) as [z|] eqn:E; auto.
  destruct (back_ok _ _ _ E O) as [O' V']. destruct (IHfuel _ O') as [O'' V'']. split; auto. intros i Hi. rewrite V', V''; auto.
Qed.

(* --- what was stored, as an operator of elements --- *)
Definition made_val (ch : list imap) (m : made) (i : list Z) : V :=
  match m with
  | MadeScalar key ty => o_fill V op key ty
  | MadeOf kd key ty rs => o_each V op key kd ty (map fst rs) (map (fun p => val (append (snd p) ch) i) rs)
  end.
Definition made_in (ch : list imap) (m : made) (sh : list num) : Prop :=
  match m with MadeScalar _ _ => True | MadeOf _ _ _ rs => forall p, In p rs -> ok (append (snd p) ch) sh end.
Lemma picks_in {A} (l : list A) js rs x : picks l js = Some rs -> In x rs -> In x l.
Proof.
  revert rs; induction js as [|j js IH]; simpl; intros rs H Hx; [inversion H; subst; contradiction|].
  destruct (nth_error l j) as [y|] eqn:E; [|discriminate]. destruct (picks l js) as [ys|]; [|discriminate].
  inversion H; subst. destruct Hx as [<-|Hx]; [eapply nth_error_In; eauto | eauto].
Qed.
Lemma fit_ok w rs r : fit w rs = true -> In r rs -> v_sh r = v_sh w.
Proof. unfold fit. intros H I. rewrite forallb_forall in H. apply (is_true _ (H _ I)). Qed.
Lemma read_in k st r sh : (k < t_n t)%N -> get k (t_steps t) = Some st -> In r (s_reads st) -> v_sh r = sh ->
  ok (C (v_st r) k (v_maps r)) sh.
Proof. intros Hk Hg Hr <-. split; [lia|]. intros i Hi. eapply in_bounds_of; eauto. apply in_or_app; auto. Qed.
Lemma made_of_ok k slot ch sh m : made_of t sm k slot = Some m -> ok (St k slot ch) sh ->
  (forall i, inbox sh i -> val (St k slot ch) i = made_val ch m i) /\ made_in ch m sh.
Proof.
  intros H [Hk (st & w & Hg & Hw & Hl)]. unfold made_of in H. rewrite Hg, Hw in H.
  assert (In_ : forall i, inbox sh i -> inbox (v_sh w) (root ch i)) by (intros; eapply lands_root; eauto).
  assert (Gen : forall kd key ty rs, (forall p : N * content, In p rs -> ok (snd p) (v_sh w)) ->
    (forall i, inbox (v_sh w) i -> result st (mt k) slot i = o_each V op key kd ty (map fst rs) (map (fun p => val (snd p) i) rs)) ->
    (forall i, inbox sh i -> val (St k slot ch) i = made_val ch (MadeOf kd key ty rs) i) /\ made_in ch (MadeOf kd key ty rs) sh).
  { intros kd key ty rs O E. split.
    - intros i Hi. unfold val at 1. rewrite Hg. rewrite E by auto. unfold made_val. f_equal. apply map_ext_in. intros p Hp.
      destruct (append_ok (snd p) (v_sh w) sh ch (O p Hp) Hl) as [_ A]. symmetry. apply A.
    - intros p Hp. apply (append_ok (snd p) (v_sh w) sh ch (O p Hp) Hl). }
  assert (Of : forall kd key ty rs, (forall r, In r rs -> In r (s_reads st)) -> fit w rs = true ->
    (forall i, inbox (v_sh w) i -> result st (mt k) slot i = o_each V op key kd ty (map v_ty rs) (map (fun r => elem (mt k) r i) rs)) ->
    (forall i, inbox sh i -> val (St k slot ch) i = made_val ch (MadeOf kd key ty (map (of_read k) rs)) i) /\
    made_in ch (MadeOf kd key ty (map (of_read k) rs)) sh).
  { intros kd key ty rs I F E. apply Gen.
    - intros p Hp. apply in_map_iff in Hp as (r & <- & Hr). apply (read_in k st); auto. eapply fit_ok; eauto.
    - intros i Hi. rewrite E by auto. rewrite !map_map. auto. }
  assert (By : made_by st k w = Some m -> (forall i, inbox sh i -> val (St k slot ch) i = made_val ch m i) /\ made_in ch m sh).
  { unfold made_by. destruct (s_kind st) eqn:K.
    - destruct (s_reads st) as [|r rs] eqn:Rd; [discriminate|]. intros G. apply guard_some in G as [G E]. inversion E; subst m.
      apply andb_true_iff in G as [G F]. apply negb_true_iff in G. apply (Of Move 0%N (v_ty w) [r]); auto; [intros x [<-|[]]; left; auto|].
      intros i Hi. unfold Sem.result. rewrite Hw, K, Rd, G. auto.
    - intros E. inversion E; subst m. split; [|exact I]. intros i Hi. unfold made_val, val. rewrite Hg. unfold Sem.result. rewrite Hw, K. auto.
    - intros G. apply guard_some in G as [G E]. inversion E; subst m. apply andb_true_iff in G as [G F]. apply Of; auto.
      intros i Hi. unfold Sem.result. rewrite Hw, K, G. auto. }
  destruct (get k sm) as [x|] eqn:S; auto. destruct (sm_ok _ _ S) as (_ & st' & Hg' & X). rewrite Hg in Hg'. inversion Hg'; subst st'.
  specialize (X _ _ Hw). destruct x as [j|key ty|key js|from y]; auto.
  - inversion H; subst m. split; [|exact I]. intros i Hi. unfold made_val, val. rewrite Hg. apply X. auto.
  - destruct (picks (s_reads st) js) as [rs|] eqn:P; [|discriminate]. apply guard_some in H as [F E]. inversion E; subst m.
    destruct X as (rs' & P' & X). inversion P'; subst rs'. apply Of; auto. intros r Hr. eapply picks_in; eauto.
  - inversion H; subst m. destruct X as [O E]. apply Gen; [intros p [<-|[]]; auto | auto].
Qed.

(* --- instances of identities --- *)
Lemma is_scalar_ok fuel k st r key ty i : (k < t_n t)%N -> get k (t_steps t) = Some st -> In r (s_reads st) ->
  is_scalar cval t ix sm fuel k r key ty = true -> inbox (v_sh r) i -> elem (mt k) r i = o_fill V op key ty.
Proof.
  intros Hk Hg Hr H Hi. unfold is_scalar in H. set (x := C (v_st r) k (v_maps r)) in *.
  pose proof (read_in k st r (v_sh r) Hk Hg Hr eq_refl) as O. fold x in O.
  destruct (origin_ok fuel x (v_sh r) O) as [O' E]. destruct (origin cval t ix sm fuel x) as [|k' slot ch]; [discriminate|].
  destruct (made_of t sm k' slot) as [[key' ty'|]|] eqn:M; try discriminate. apply andb_true_iff in H as [H1 H2].
  apply N.eqb_eq in H1, H2. subst key' ty'. destruct (made_of_ok _ _ _ _ _ M O') as [V1 _].
  change (elem (mt k) r i) with (val x i). rewrite E, V1 by auto. auto.
Qed.
Lemma map_snd_numbered {A B} (f : A -> B) l s : map (fun p => f (snd p)) (combine (seq s (length l)) l) = map f l.
Proof. revert s; induction l; intros s; simpl; auto. f_equal. auto. Qed.
Lemma picks_map {A B} (f : A -> B) (g : nat -> B) l js rs : (forall j x, nth_error l j = Some x -> g j = f x) ->
  picks l js = Some rs -> map g js = map f rs.
Proof.
  intros G. revert rs; induction js as [|j js IH]; simpl; intros rs H; [inversion H; auto|].
  destruct (nth_error l j) as [x|] eqn:E; [|discriminate]. destruct (picks l js) as [xs|]; [|discriminate].
  inversion H; subst. simpl. rewrite (G _ _ E), (IH xs); auto.
Qed.
Lemma of_operator_ok fuel k st w key ty tys args rhs x : (k < t_n t)%N -> get k (t_steps t) = Some st -> s_writes st = [w] ->
  s_kind st = Opaque -> of_operator cval t ix sm fuel k st w key ty tys args rhs = Some x ->
  (forall vs, value V op vs (Apply Opaque key ty tys args) = value V op vs rhs) -> simpler_ok k x.
Proof.
  intros Hk Hg W K H Id. unfold of_operator in H. apply guard_some in H as [H S].
  apply andb_true_iff in H as [H A]. apply andb_true_iff in H as [H T]. apply andb_true_iff in H as [H E2].
  apply andb_true_iff in H as [H E1]. apply andb_true_iff in H as [El F]. apply N.eqb_eq in E1, E2. apply is_true in T. subst key ty tys.
  split; auto. exists st. split; auto. intros slot w' Hw'. rewrite W in Hw'. destruct slot as [|slot]; [|destruct slot; discriminate].
  inversion Hw'; subst w'. clear Hw'.
  set (vs := fun i j => match nth_error (s_reads st) j with Some r => elem (mt k) r i | None => o_fill V op 0 0 end).
  assert (Vs : forall i j r, nth_error (s_reads st) j = Some r -> vs i j = elem (mt k) r i) by (intros i j r E; unfold vs; rewrite E; auto).
  assert (R1 : forall i, inbox (v_sh w) i -> result st (mt k) 0 i = value V op (vs i) rhs).
  { intros i Hi. rewrite <- Id. unfold Sem.result. rewrite W, K, El. cbn [nth_error value]. f_equal.
    rewrite <- (map_snd_numbered (fun r => elem (mt k) r i) (s_reads st) 0). symmetry.
    apply (all2_map_eq _ _ _ _ _ A). intros a p Ia Ip Ho. destruct p as [j r]. apply numbered_in in Ip. cbn [fst snd] in *.
    destruct a; cbn [argument_ok is_operand value] in *.
    - apply Nat.eqb_eq in Ho. simpl in Ho. subst. apply Vs; auto.
    - symmetry. apply nth_error_In in Ip. eapply is_scalar_ok; eauto. rewrite (fit_ok _ _ _ F Ip). auto.
    - discriminate. }
  destruct rhs as [j|key ty|[] key ty tys args']; cbn [says] in S; try discriminate.
  - destruct (nth_error (s_reads st) j) as [r|] eqn:Hr; [|discriminate]. inversion S; subst x. apply nth_error_In in Hr as Ir. split.
    + apply (read_in k st); auto. eapply fit_ok; eauto.
    + intros i Hi. rewrite R1 by auto. apply Vs; auto.
  - inversion S; subst x. intros i Hi. rewrite R1 by auto. auto.
  - destruct (picks (s_reads st) (map number_of args')) as [rs|] eqn:P; [|discriminate]. apply guard_some in S as [S E]. inversion E; subst x.
    apply andb_true_iff in S as [S S4]. apply andb_true_iff in S as [S2 S3]. apply N.eqb_eq in S2. apply is_true in S3. subst.
    exists rs. split; auto. intros i Hi. rewrite R1 by auto. cbn [value]. f_equal.
    rewrite <- (picks_map (fun r => elem (mt k) r i) (vs i) (s_reads st) _ rs (Vs i) P). apply (all2_map_eq _ _ _ _ _ S4).
    intros a j _ _ E'. destruct a; simpl in E'; try discriminate. apply Nat.eqb_eq in E'. subst. auto.
Qed.
Lemma of_cast_ok fuel k st w r rs lhs rhs x : (k < t_n t)%N -> get k (t_steps t) = Some st -> s_writes st = [w] ->
  s_kind st = Move -> s_reads st = r :: rs -> of_cast cval t ix sm fuel k w r lhs rhs = Some x ->
  (forall vs, value V op vs lhs = value V op vs rhs) -> simpler_ok k x.
Proof.
  intros Hk Hg W K Rd H Id. unfold of_cast in H. destruct (cast_before cval t ix sm fuel k r) as [[from y]|] eqn:B; [|discriminate].
  destruct lhs as [| |[] key ty [|mid [|]] [|[| |[] key' ty' [|from' [|]] [|[j| |] [|]]] [|]]]; try discriminate.
  apply guard_some in H as [H S]. apply andb_true_iff in H as [H Ej]. apply andb_true_iff in H as [H E6]. apply andb_true_iff in H as [H E5].
  apply andb_true_iff in H as [H E4]. apply andb_true_iff in H as [H E3]. apply andb_true_iff in H as [H E2]. apply andb_true_iff in H as [H E1].
  apply andb_true_iff in H as [Ne F]. apply negb_true_iff in Ne. apply N.eqb_eq in E1, E2, E3, E4, E5, E6. apply Nat.eqb_eq in Ej. subst.
  assert (Ir : In r (s_reads st)) by (rewrite Rd; left; auto). assert (Es : v_sh r = v_sh w) by (apply (fit_ok w [r]); auto; left; auto).
  pose proof (read_in k st r (v_sh w) Hk Hg Ir Es) as O. unfold cast_before in B. set (c := C (v_st r) k (v_maps r)) in *.
  destruct (origin_ok fuel c (v_sh w) O) as [O' E]. destruct (origin cval t ix sm fuel c) as [|k' slot' ch]; [discriminate|].
  destruct (made_of t sm k' slot') as [[|[] key ty [|[from0 y0] [|]]]|] eqn:M; try discriminate.
  apply guard_some in B as [B B']. inversion B'; subst from0 y. apply andb_true_iff in B as [B1 B2]. apply N.eqb_eq in B1, B2. subst key ty.
  destruct (made_of_ok _ _ _ _ _ M O') as [V1 I1]. specialize (I1 _ (or_introl eq_refl)). cbn [snd] in I1.
  assert (R1 : forall i, inbox (v_sh w) i -> result st (mt k) 0 i = value V op (fun _ => val (append y0 ch) i) rhs).
  { intros i Hi. rewrite <- Id. cbn [value map]. unfold Sem.result. rewrite W. cbn [nth_error]. rewrite K, Rd, Ne.
    change (elem (mt k) r i) with (val c i). rewrite E, V1 by auto. auto. }
  split; auto. exists st. split; auto. intros slot w' Hw'. rewrite W in Hw'. destruct slot as [|slot]; [|destruct slot; discriminate].
  inversion Hw'; subst w'.
  destruct rhs as [i'| |[] key ty [|from'' [|]] [|[i'| |] [|]]]; try discriminate.
  - apply guard_some in S as [S S']. inversion S'; subst x. split; auto.
  - apply guard_some in S as [S S']. inversion S'; subst x. apply andb_true_iff in S as [S _]. apply andb_true_iff in S as [S S3].
    apply andb_true_iff in S as [S1 S2]. apply N.eqb_eq in S1, S2, S3. subst. split; auto.
Qed.
Lemma instance_ok fuel e k x : instance cval t ix sm fuel k e = Some x ->
  (forall vs, value V op vs (fst e) = value V op vs (snd e)) -> simpler_ok k x.
Proof.
  unfold instance. intros H Id. destruct (get k (t_steps t)) as [st|] eqn:Hg; [|discriminate].
  destruct (s_writes st) as [|w [|]] eqn:W; try discriminate. apply guard_some in H as [Hk H]. apply N.ltb_lt in Hk.
  destruct e as [lhs rhs]. cbn [fst snd] in *. destruct (s_kind st) eqn:K.
  - destruct (s_reads st) as [|r rs] eqn:Rd; [discriminate|]. eapply of_cast_ok; eauto.
  - discriminate.
  - destruct lhs as [| |[] key ty tys args]; try discriminate. eapply of_operator_ok; eauto.
Qed.
End Contents.
