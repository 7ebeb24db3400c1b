(* Why what is answered element by element is right: in one run, and in two. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps Follow Points Contents Equal.
Import ListNotations.

Section PointsRight.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval} {V : Type} {op : ops V}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation elem := (elem nv V).
Notation result := (result nv V op).
Notation nvc := (nvc cval).

(* --- with constants, the checker's own arithmetic is that of the run --- *)
Lemma known_ok k : known cval k = true -> nvc k = nv k.
Proof. unfold known, Points.nvc. destruct (cval k) as [z|] eqn:E; [|discriminate]. intros _. apply cval_ok in E. auto. Qed.
Lemma known_map_list l : forallb (known cval) l = true -> map nvc l = map nv l.
Proof. intros H. rewrite forallb_forall in H. apply map_ext_in. intros k Hk. apply known_ok. auto. Qed.
Lemma affine_at_known fs i d s : known cval s = true -> forallb (fun f => known cval (snd f)) fs = true ->
  affine_at nvc fs i d s = affine_at nv fs i d s.
Proof.
  intros Hs H. induction fs as [|[[t fr] b] fs IH]; simpl in *; [apply known_ok; auto|].
  apply andb_true_iff in H as [H1 H2]. rewrite IH by auto. rewrite (known_ok b) by auto. auto.
Qed.
Lemma affine_known fs i start : forall d, forallb (known cval) start = true -> forallb (fun f => known cval (snd f)) fs = true ->
  affine nvc fs i d start = affine nv fs i d start.
Proof.
  induction start; simpl; intros d H Hf; auto. apply andb_true_iff in H as [H1 H2].
  rewrite affine_at_known by auto. f_equal. apply IHstart; auto.
Qed.
Lemma mapfun_known m i : known_map cval m = true -> mapfun nvc m i = mapfun nv m i.
Proof.
  destruct m; simpl; intros H; apply andb_true_iff in H as [H1 H2].
  - apply affine_known; auto.
  - rewrite !known_map_list; auto.
Qed.
Lemma at_root_ok ms i : forallb (known_map cval) ms = true -> at_root cval ms i = root ms i.
Proof.
  unfold at_root, Sem.root. induction ms; simpl; intros H; auto. apply andb_true_iff in H as [H1 H2].
  rewrite IHms by auto. apply mapfun_known; auto.
Qed.
Lemma small_ok sh i : small cval sh = true -> (In i (elements_of cval sh) <-> inbox sh i).
Proof.
  unfold small. intros H. apply andb_true_iff in H as [H _]. unfold elements_of, Sem.inbox. rewrite known_map_list; auto. tauto.
Qed.
Lemma inside_ok sh c : inside sh c = true -> In c (box sh).
Proof.
  revert c; induction sh as [|e r IH]; intros [|x d] H; simpl in H; try discriminate; [left; auto|].
  apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply Z.leb_le in H1. apply Z.ltb_lt in H2.
  apply in_box_cons. exists x, d. auto.
Qed.

(* --- where elements lie --- *)
Lemma bucket_enter ms m j k i : In i (bucket (enter cval ms m j) k) <->
  In i (bucket m k) \/ (i = j /\ k = place_key (at_root cval ms j)).
Proof.
  unfold enter. set (q := place_key _). unfold bucket at 1. destruct (Pos.eq_dec k q) as [->|D].
  - rewrite PM.gss. simpl. intuition congruence.
  - rewrite PM.gso by auto. fold (bucket m k). tauto.
Qed.
Lemma places_fold ms l : forall m k i, In i (bucket (fold_left (enter cval ms) l m) k) <->
  In i (bucket m k) \/ (In i l /\ k = place_key (at_root cval ms i)).
Proof.
  induction l as [|j l IH]; simpl; intros m k i; [tauto|]. rewrite IH, bucket_enter. split.
  - intros [[H|[-> H]]|[H H']]; auto.
  - intros [H|[[->|H] H']]; auto.
Qed.
Lemma places_in_ok v k i : In i (bucket (places_in cval v) k) <->
  In i (elements_of cval (v_sh v)) /\ k = place_key (at_root cval (v_maps v) i).
Proof.
  unfold places_in. rewrite places_fold. unfold bucket. rewrite PM.gempty. simpl. tauto.
Qed.
Lemma lookup_some v c i : lookup cval (places_in cval v) (v_maps v) c = Some i ->
  In i (elements_of cval (v_sh v)) /\ at_root cval (v_maps v) i = c.
Proof.
  unfold lookup. intros H. apply find_some in H as [H1 H2]. apply places_in_ok in H1 as [H1 _]. apply is_true in H2. auto.
Qed.
Lemma lookup_none v c i : lookup cval (places_in cval v) (v_maps v) c = None -> In i (elements_of cval (v_sh v)) ->
  at_root cval (v_maps v) i <> c.
Proof.
  unfold lookup. intros H Hi E. assert (I : In i (bucket (places_in cval v) (place_key c))) by (apply places_in_ok; subst; auto).
  pose proof (find_none _ _ H i I) as F. simpl in F. destruct (cells_dec _ c); [discriminate | congruence].
Qed.
Lemma told_ok v : told_view cval v = true -> forallb (known_map cval) (v_maps v) = true /\
  forall i, In i (elements_of cval (v_sh v)) <-> inbox (v_sh v) i.
Proof. unfold told_view. intros H. apply andb_true_iff in H as [H1 H2]. split; auto. intros i. apply small_ok; auto. Qed.
Lemma distinct_ok l : forall m, distinct m l = true -> NoDup l /\ forall c, In c l -> ~ In c (bucket m (place_key c)).
Proof.
  induction l as [|c l IH]; simpl; intros m H; [split; [constructor | tauto]|].
  apply andb_true_iff in H as [H1 H2]. apply IH in H2 as [H2 H3]. apply negb_true_iff in H1.
  assert (Nb : forall d, In d l -> ~ In d (bucket m (place_key d)) /\ d <> c).
  { intros d Hd. specialize (H3 d Hd). unfold bucket in H3 at 1. destruct (Pos.eq_dec (place_key d) (place_key c)) as [E|E].
    - rewrite E, PM.gss in H3. simpl in H3. rewrite E. split; [|intros ->]; tauto.
    - rewrite PM.gso in H3 by auto. split; [exact H3 | congruence]. }
  split.
  - constructor; auto. intros I. apply (proj2 (Nb c I)). auto.
  - intros d [<-|Hd]; [|apply Nb; auto]. intros I.
    assert (existsb (fun d => is (cells_dec c d)) (bucket m (place_key c)) = true).
    { apply existsb_exists. exists c. split; auto. destruct (cells_dec c c); auto. }
    congruence.
Qed.
Lemma nodup_inj {A B} (f : A -> B) l i j : NoDup (map f l) -> In i l -> In j l -> f i = f j -> i = j.
Proof.
  induction l as [|x l IH]; simpl; intros H Hi Hj E; [contradiction|]. inversion H as [|? ? H1 H2]; subst.
  destruct Hi as [->|Hi], Hj as [->|Hj]; auto.
  - exfalso. apply H1. rewrite E. apply in_map; auto.
  - exfalso. apply H1. rewrite <- E. apply in_map; auto.
Qed.
Lemma injective_chk_ok w : told_view cval w = true -> injective_chk cval w = true -> injective nv w.
Proof.
  intros T H i j Hi Hj E. apply told_ok in T as [K B]. apply distinct_ok in H as [H _].
  apply B in Hi, Hj. apply (nodup_inj _ _ _ _ H Hi Hj). rewrite !at_root_ok by auto. auto.
Qed.
Lemma apart_each_ok v w : told_view cval v = true -> told_view cval w = true -> apart_each cval v w = true -> apart nv v w.
Proof.
  intros Tv Tw H s c [[Ev (i & Hi & Ei)] [Ew (j & Hj & Ej)]]. apply told_ok in Tv as [Kv Bv]. apply told_ok in Tw as [Kw Bw].
  unfold apart_each in H. apply orb_true_iff in H as [H|H]; [apply negb_true_iff, N.eqb_neq in H; congruence|].
  rewrite forallb_forall in H. apply Bv in Hi. apply Bw in Hj. specialize (H i Hi).
  destruct (lookup _ _ _ _) eqn:L; [discriminate|]. apply (lookup_none _ _ j L Hj). rewrite !at_root_ok by auto. congruence.
Qed.
Lemma clean_each_ok s : clean_each cval s = true -> clean nv s.
Proof.
  unfold clean_each. intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H H2]. apply andb_true_iff in H as [H H1].
  rewrite forallb_forall in H, H1, H2, H3.
  assert (Tr : forall r, In r (s_reads s) -> told_view cval r = true) by (intros; apply H, in_or_app; auto).
  assert (Tw : forall w, In w (s_writes s) -> told_view cval w = true) by (intros; apply H, in_or_app; auto).
  split; [|split].
  - intros w Hw. apply injective_chk_ok; auto.
  - intros p q w x Hp Hq Hne. pose proof (H2 _ (in_numbered _ _ _ Hp)) as G. rewrite forallb_forall in G.
    specialize (G _ (in_numbered _ _ _ Hq)). simpl in G. apply orb_true_iff in G as [G|G].
    + apply Nat.eqb_eq in G. congruence.
    + apply apart_each_ok; auto; [apply Tw | apply Tw]; eapply nth_error_In; eauto.
  - intros p q r w Hp Hq. pose proof (H3 _ (in_numbered _ _ _ Hp)) as G. rewrite forallb_forall in G.
    specialize (G _ (in_numbered _ _ _ Hq)). simpl in G.
    assert (Ir : In r (s_reads s)) by (eapply nth_error_In; eauto). assert (Iw : In w (s_writes s)) by (eapply nth_error_In; eauto).
    destruct (accessed s p q); auto.
    + right; right. apply apart_each_ok; auto.
    + apply orb_true_iff in G as [G|G]; [|right; right; apply apart_each_ok; auto].
      apply andb_true_iff in G as [G G4]. apply andb_true_iff in G as [G G5]. apply N.eqb_eq in G. apply is_true in G4, G5. right; left; auto.
Qed.
Lemma cleans_ok t s : cleans cval t s = true -> (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) -> clean nv s.
Proof. unfold cleans. intros H B. apply orb_true_iff in H as [H|H]; [apply (clean_ok t); auto | apply clean_each_ok; auto]. Qed.
Lemma tables_ok t k l : get k (p_tables (points_of cval t)) = Some l ->
  exists s, get k (t_steps t) = Some s /\ l = map (table_of cval) (s_writes s).
Proof.
  unfold points_of, get. simpl. rewrite PM.gmap. destruct (PM.find _ (t_steps t)) as [s|]; [|discriminate].
  simpl. intros E. exists s. split; congruence.
Qed.
Lemma p_clean_ok t k s : get k (p_clean (points_of cval t)) = Some true -> get k (t_steps t) = Some s -> cleans cval t s = true.
Proof. unfold points_of, get. simpl. rewrite PM.gmap. intros H G. rewrite G in H. simpl in H. congruence. Qed.
Lemma hit_some s c : forall ws n slot i, hit cval ws (map (table_of cval) ws) n s c = Some (Some (slot, i)) ->
  exists w, (n <= slot)%nat /\ nth_error ws (slot - n) = Some w /\ v_st w = s /\ inbox (v_sh w) i /\ root (v_maps w) i = c.
Proof.
  induction ws as [|w ws IH]; simpl; intros n slot i H; [discriminate|].
  assert (G : hit cval ws (map (table_of cval) ws) (S n) s c = Some (Some (slot, i)) -> exists w0, (n <= slot)%nat /\
    nth_error (w :: ws) (slot - n) = Some w0 /\ v_st w0 = s /\ inbox (v_sh w0) i /\ root (v_maps w0) i = c).
  { intros G. apply IH in G as (w' & L & Hn & E). exists w'. split; [lia|]. split; auto.
    replace (slot - n)%nat with (S (slot - S n)) by lia. auto. }
  destruct (N.eqb_spec (v_st w) s); auto. unfold table_of in H at 1. destruct (told_view cval w) eqn:T; [|discriminate].
  destruct (lookup _ _ _ _) as [j|] eqn:L; auto. inversion H; subst. apply lookup_some in L as [L1 L2]. apply told_ok in T as [K B].
  exists w. rewrite Nat.sub_diag. simpl. split; auto. split; auto. split; auto. split; [apply B; auto|]. rewrite <- L2. symmetry. apply at_root_ok; auto.
Qed.
Lemma hit_none s c : forall ws n, hit cval ws (map (table_of cval) ws) n s c = Some None -> forall w, In w ws -> ~ holds_cell nv w s c.
Proof.
  induction ws as [|x ws IH]; simpl; intros n H w Hw; [contradiction|]. intros [E (i & Hi & R)].
  destruct (N.eqb_spec (v_st x) s) as [Ex|Ex].
  - unfold table_of in H at 1. destruct (told_view cval x) eqn:T; [|discriminate].
    destruct (lookup _ _ _ _) eqn:L; [discriminate|]. destruct Hw as [<-|Hw]; [|apply (IH _ H w Hw); split; eauto].
    apply told_ok in T as [K B]. apply B in Hi. apply (lookup_none _ _ i L Hi). rewrite at_root_ok; auto.
  - destruct Hw as [<-|Hw]; [congruence|]. apply (IH _ H w Hw). split; eauto.
Qed.

Section One.
Variables (t : trace) (ix : index) (mt : N -> mem V).
Hypothesis R : run nv V op t mt.
Hypothesis ix_ok : forall s time v, prev ix s time = Some v -> latest t s time v.
Notation ps := (points_of cval t).

Definition pval (x : point) : V :=
  match x with
  | P s time c => mt time s c
  | PS k slot i => match get k (t_steps t) with Some st => result st (mt k) slot i | None => o_fill V op 0 0 end
  end.
Definition pok (x : point) : Prop :=
  match x with
  | P s time c => (time <= t_n t)%N
  | PS k slot i => (k < t_n t)%N /\ exists st w, get k (t_steps t) = Some st /\ nth_error (s_writes st) slot = Some w /\ inbox (v_sh w) i
  end.
Lemma read_ok k r i : (k < t_n t)%N -> forallb (known_map cval) (v_maps r) = true ->
  pok (from_read cval r k i) /\ pval (from_read cval r k i) = elem (mt k) r i.
Proof. intros Hk K. simpl. split; [lia|]. unfold Sem.elem. rewrite at_root_ok; auto. Qed.
Lemma point_source_ok k st slot w i : (k < t_n t)%N -> get k (t_steps t) = Some st -> nth_error (s_writes st) slot = Some w ->
  inbox (v_sh w) i -> pok (point_source cval st k slot i) /\ pval (point_source cval st k slot i) = result st (mt k) slot i.
Proof.
  intros Hk Hg Hw Hi. assert (D : pok (PS k slot i) /\ pval (PS k slot i) = result st (mt k) slot i).
  { split; simpl; [|rewrite Hg; auto]. split; auto. exists st, w. auto. }
  unfold point_source. destruct (s_kind st) eqn:K; auto. destruct (s_reads st) as [|r rs] eqn:Rd; auto. rewrite Hw.
  destruct (N.eqb (v_ty r) (v_ty w) && forallb (known_map cval) (v_maps r)) eqn:T; auto. apply andb_true_iff in T as [T1 T2].
  destruct (read_ok k r i Hk T2) as [O1 O2]. split; auto. rewrite O2. unfold Sem.result. rewrite Hw, K, Rd, T1. auto.
Qed.
Lemma point_of_ok x sh i : ok (nv := nv) t x sh -> inbox sh i -> forallb (known_map cval) (chain_of x) = true ->
  pok (point_of cval x i) /\ pval (point_of cval x i) = val (nv := nv) (op := op) t mt x i.
Proof.
  intros O Hi K. destruct x as [s time ch|k slot ch]; simpl in *.
  - rewrite at_root_ok by auto. split; [tauto | auto].
  - rewrite at_root_ok by auto. destruct O as [Hk (st & w & G & W & L)]. split; auto. split; auto. exists st, w.
    split; auto. split; auto. eapply lands_root; eauto.
Qed.
Variable sm : simple.
Hypothesis sm_ok : simple_ok (nv := nv) (op := op) t mt sm.
Lemma point_back_ok x y : point_back cval t ix sm ps x = Some y -> pok x -> pok y /\ pval x = pval y.
Proof.
  destruct x as [s time c|k slot i]; cbn [point_back pok].
  2: { destruct (kept sm k) as [z|] eqn:K; [|discriminate]. intros H [Hk (st & w & Hg & Hw & Hi)].
    apply guard_some in H as [Kn H]. inversion H; subst y; clear H.
    destruct (kept_ok t mt sm sm_ok k z st slot w K Hg Hw) as [O E]. destruct (point_of_ok z (v_sh w) i O Hi Kn) as [O1 O2].
    split; auto. rewrite O2. unfold pval at 1. rewrite Hg. auto. }
  intros H Ht.
  destruct (prev ix s time) as [[k|]|] eqn:Pv; try discriminate. apply ix_ok in Pv.
  assert (Hk : (k < t_n t)%N) by (destruct Pv as (_ & P2 & _); lia).
  destruct (step_of t mt R k Hk) as (st & Hg & B & F & Cl).
  rewrite Hg in H.
  destruct (get k (p_tables ps)) as [ts|] eqn:Gt; [|discriminate]. apply tables_ok in Gt as (st' & Hg' & ->).
  rewrite Hg in Hg'. inversion Hg'; subst st'; clear Hg'.
  assert (E : mt time s c = mt (N.succ k) s c) by (apply (since t mt R); auto).
  destruct (hit cval (s_writes st) _ 0 s c) as [[[slot i]|]|] eqn:Ht'; [| |discriminate].
  all: change (pval (P s time c)) with (mt time s c).
  - destruct (get k (p_clean ps)) as [[]|] eqn:Gc; try discriminate. inversion H; subst y; clear H.
    apply (p_clean_ok _ _ _ Gc) in Hg as Cn. apply cleans_ok in Cn; auto. specialize (Cl Cn).
    apply hit_some in Ht' as (w & _ & Hw & Es & Hi & Ec). rewrite Nat.sub_0_r in Hw.
    destruct (point_source_ok k st slot w i Hk Hg Hw Hi) as [S1 S2]. split; auto. rewrite S2, E, <- Ec, <- Es. apply Cl; auto.
  - inversion H; subst y; clear H. split; [simpl; lia|]. simpl. rewrite E. apply F. intros w Hw. eapply hit_none; eauto.
Qed.
Lemma point_walk_ok fuel test x : point_walk cval t ix sm ps fuel test x = true -> pok x ->
  exists y, test y = true /\ pok y /\ pval x = pval y.
Proof.
  revert x; induction fuel; intros x H O; cbn [point_walk] in H; apply orb_true_iff in H as [H|H]; try discriminate; eauto.
  destruct (point_back cval t ix sm ps x) as [z|] eqn:E; [|discriminate]. destruct (point_back_ok _ _ E O) as [O' V'].
  destruct (IHfuel _ H O') as (y & T & O'' & V''). exists y. split; auto. split; auto. congruence.
Qed.
Lemma point_origin_ok fuel x : pok x -> pok (point_origin cval t ix sm ps fuel x) /\ pval x = pval (point_origin cval t ix sm ps fuel x).
Proof.
  revert x; induction fuel; intros x O; cbn [point_origin]; auto. destruct (point_back cval t ix sm ps x) as [z|] eqn:E; auto.
  destruct (point_back_ok _ _ E O) as [O' V']. destruct (IHfuel _ O') as [O'' V'']. split; auto. congruence.
Qed.
End One.
End PointsRight.
