(* Induction over bodies: where each pair of bodies is accepted before it is used, the steps that run them are one operator in both
   graphs, so that what is accepted of the graphs is right. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Follow Check Sharing Sound Progress Bodies.
Import ListNotations.

(* --- what is asked --- *)
Record item := Item { i_ask : boundary; i_before : trace; i_after : trace; i_ids : list (term * term); i_lemmas : list lemma; i_points : bool }.
(* Storages that are compared are known by start and key, the same ones in both. *)
Definition frame_of (t : trace) : bool :=
  unique_keys (all_storages t)
  && forallb (fun p => negb (st_cmp (snd p)) || (negb (N.eqb (st_start (snd p)) undefined) && N.ltb (fst p) (t_nst t))) (all_storages t).
Definition compared_in (b a : trace) : bool :=
  let keys := key_map (all_storages b) in
  forallb (fun p => negb (st_cmp (snd p)) ||
    match at2 keys (st_start (snd p)) (st_key (snd p)) with
    | Some s => match get s (t_st b) with
                | Some x => st_cmp x && is (nums_dec (st_sh x) (st_sh (snd p))) && N.eqb (st_start x) (st_start (snd p)) && N.eqb (st_key x) (st_key (snd p))
                | None => false
                end
    | None => false
    end) (all_storages a).
Definition body_ok (x : item) : bool :=
  negb (b_alone (i_ask x)) && frame_of (i_before x) && frame_of (i_after x) && compared_in (i_before x) (i_after x).
(* a step with bodies is no operator of elements, and each of its bodies is an earlier item *)
Definition step_ok (bodies : PM.t (list nat)) (all : list item) (n : nat) (s : step) : bool :=
  match get (s_key s) bodies with
  | None => true
  | Some js => negb (s_elem s) && forallb (fun j => Nat.ltb j n && match nth_error all j with Some x => body_ok x | None => false end) js
  end.
Definition item_ok (table : numbers) (bodies : PM.t (list nat)) (all : list item) (n fuel k : nat) (x : item) : bool :=
  accepts table (i_ids x) (i_ask x) false (i_points x) (i_before x) (i_after x) (i_lemmas x) n fuel
  && steps_ok (i_before x) (step_ok bodies all k) && steps_ok (i_after x) (step_ok bodies all k).
Definition accepts_all (table : numbers) (bodies : PM.t (list nat)) (all : list item) (n fuel : nat) : bool :=
  forallb (fun p => item_ok table bodies all n fuel (fst p) (snd p)) (combine (seq 0 (length all)) all).

(* --- why that is enough --- *)
Section Right.
Variables (nv : num -> Z) (V : Type).
Notation does := (does nv V).
Notation leaves := (leaves nv V).
Notation run := (run nv V).

(* operators that agree where a trace uses them *)
Definition agree (p q : ops V) (t : trace) : Prop :=
  (forall key ty, o_fill V p key ty = o_fill V q key ty) /\
  (forall key k ty tys xs, o_each V p key k ty tys xs = o_each V q key k ty tys xs) /\
  (forall k s, get k (t_steps t) = Some s -> s_elem s = false ->
     forall outs ins slot i, o_opaque V p (s_key s) outs ins slot i = o_opaque V q (s_key s) outs ins slot i).
Lemma result_agree p q t k s m slot i : agree p q t -> get k (t_steps t) = Some s -> result nv V p s m slot i = result nv V q s m slot i.
Proof.
  intros (F & E & O) G. unfold result. destruct (nth_error (s_writes s) slot) as [w|]; [|apply F]. destruct (s_kind s).
  - destruct (s_reads s) as [|r rs]; [apply F|]. destruct (N.eqb (v_ty r) (v_ty w)); auto.
  - apply F.
  - destruct (s_elem s) eqn:El; [apply E | apply (O k s G El)].
Qed.
Lemma run_agree p q t m : agree p q t -> run p t m -> run q t m.
Proof.
  intros A (R1 & R2). split; auto. intros k s L G. destruct (R1 k s L G) as (B & K & C). split; auto. split; auto.
  intros Cl slot w i Hw Hi. rewrite (C Cl slot w i Hw Hi). eapply result_agree; eauto.
Qed.
Lemma agree_sym p q t : agree p q t -> agree q p t.
Proof. intros (F & E & O). split; [|split]; intros; symmetry; eauto. Qed.
Lemma some_run (op : ops V) t e : stays_inside nv t -> exists m, run op t m /\ enters V t (m 0%N) e.
Proof.
  intros [S O]. destruct (runs_exist nv V op t (fun s c => match get s (t_st t) with Some x => e (st_start x) (st_key x) c | None => o_fill V op 0 0 end) S O)
    as (m & R & E). exists m. split; auto. intros s x G _ c. rewrite E, G. auto.
Qed.
Lemma alike_at_entry b a mb ma e : enters V b mb e -> enters V a ma e -> begin_alike V false b a mb ma.
Proof.
  intros Eb Ea s s' x y Gx Gy Es [Ns|[E _]] Ek c; [|discriminate]. rewrite (Eb _ _ Gx Ns c), (Ea s' y Gy) by congruence. congruence.
Qed.
Lemma frame_ok_ t s x : frame_of t = true -> get s (t_st t) = Some x -> st_cmp x = true ->
  st_start x <> undefined /\ (s < t_nst t)%N /\ forall s' y, get s' (t_st t) = Some y -> st_start y = st_start x -> st_key y = st_key x -> s' = s.
Proof.
  unfold frame_of. intros H G C. apply andb_true_iff in H as [U H]. rewrite forallb_forall in H.
  specialize (H _ (in_storages _ _ _ G (or_intror C))). simpl in H. rewrite C in H. simpl in H.
  apply andb_true_iff in H as [H1 H2]. apply negb_true_iff, N.eqb_neq in H1. apply N.ltb_lt in H2. split; auto. split; auto.
  intros s' y Gy Es Ek. symmetry. apply (unique_ok t s s' x y); auto.
Qed.
Lemma compared_ok b a s y : compared_in b a = true -> frame_of b = true -> get s (t_st a) = Some y -> st_cmp y = true ->
  forall s' x, get s' (t_st b) = Some x -> st_start x = st_start y -> st_key x = st_key y -> st_cmp x = true /\ st_sh x = st_sh y.
Proof.
  intros H F G C s' x Gx Es Ek. unfold compared_in in H. rewrite forallb_forall in H. specialize (H _ (in_storages _ _ _ G (or_intror C))).
  simpl in H. rewrite C in H. simpl in H. destruct (at2 _ _ _) as [s2|]; [|discriminate]. destruct (get s2 (t_st b)) as [z|] eqn:G2; [|discriminate].
  apply andb_true_iff in H as [H E2]. apply andb_true_iff in H as [H E1]. apply andb_true_iff in H as [C2 Sh].
  apply N.eqb_eq in E1, E2. apply is_true in Sh. destruct (frame_ok_ _ _ _ F G2 C2) as (_ & _ & U).
  assert (s' = s2) by (apply (U s' x); congruence). subst s2. assert (z = x) by congruence. subst z. auto.
Qed.
Lemma leaves_both x b a mb ma r : right nv V (i_ask x) b a mb ma -> b = i_before x -> a = i_after x -> body_ok x = true ->
  leaves b (mb (t_n b)) r <-> leaves a (ma (t_n a)) r.
Proof.
  intros R -> -> H. unfold body_ok in H. apply andb_true_iff in H as [H Hc]. apply andb_true_iff in H as [H Fa]. apply andb_true_iff in H as [Al Fb].
  apply negb_true_iff in Al. set (b := i_before x) in *. set (a := i_after x) in *.
  destruct R as (_ & All & _ & [Len Out] & Sh & _). destruct (Sh Al) as [Ex _].
  assert (Heads : forall k o p, nth_error (t_out b) k = Some o -> nth_error (t_out a) k = Some p -> head_of nv o = head_of nv p /\
    forall v w i, o_view o = Some v -> o_view p = Some w -> inbox nv (v_sh v) i -> elem nv V (mb (t_n b)) v i = elem nv V (ma (t_n a)) w i).
  { intros k o p Ho Hp. destruct (Out k o p Ho Hp) as [Es Ev]. unfold head_of. rewrite Es. destruct (o_view o) as [v|], (o_view p) as [w|];
      try contradiction; [|split; [auto | discriminate]]. destruct Ev as (Et & Eh & _ & E). rewrite Et, Eh. split; auto.
    intros v' w' i Ev Ew Hi. inversion Ev; inversion Ew; subst. auto. }
  assert (Other : forall k o, nth_error (t_out b) k = Some o -> exists p, nth_error (t_out a) k = Some p).
  { intros k o Ho. destruct (nth_error (t_out a) k) as [p|] eqn:E; eauto. apply nth_error_None in E. rewrite <- Len in E.
    apply nth_error_None in E. congruence. }
  assert (Other' : forall k p, nth_error (t_out a) k = Some p -> exists o, nth_error (t_out b) k = Some o).
  { intros k o Ho. destruct (nth_error (t_out b) k) as [p|] eqn:E; eauto. apply nth_error_None in E. rewrite Len in E.
    apply nth_error_None in E. congruence. }
  assert (Views : forall k o p v, nth_error (t_out b) k = Some o -> nth_error (t_out a) k = Some p -> head_of nv o = head_of nv p ->
    (o_view o = Some v -> exists w, o_view p = Some w /\ map nv (v_sh w) = map nv (v_sh v)) /\
    (o_view p = Some v -> exists w, o_view o = Some w /\ map nv (v_sh w) = map nv (v_sh v))).
  { intros k o p v _ _ E. unfold head_of in E. split; intros Ev; rewrite Ev in E.
    - destruct (o_view p) as [w|]; [|discriminate]. inversion E. eauto.
    - destruct (o_view o) as [w|]; [|discriminate]. inversion E. eauto. }
  split; intros (C & O & X); (split; [congruence|]; split).
  - intros k p Hp. destruct (Other' k p Hp) as [o Ho]. destruct (Heads k o p Ho Hp) as [E1 E2]. destruct (O k o Ho) as [O1 O2].
    split; [congruence|]. intros w i Hw Hi. destruct (Views k o p w Ho Hp E1) as [_ Vw]. destruct (Vw Hw) as (v & Hv & Es).
    assert (Hi' : inbox nv (v_sh v) i) by (unfold inbox in *; rewrite Es; auto). rewrite <- (E2 v w i Hv Hw Hi'). auto.
  - intros s y i G Cy Hi. destruct (frame_ok_ _ _ _ Fa G Cy) as (Ns & L & _). destruct (Ex s y G Cy L) as (s' & z & Gz & Es & Ek & E).
    destruct (compared_ok _ _ _ _ Hc Fb G Cy s' z Gz Es Ek) as [Cz Sz].
    rewrite <- (E i Hi), <- Es, <- Ek. apply (X s' z i Gz Cz). rewrite Sz. auto.
  - intros k o Ho. destruct (Other k o Ho) as [p Hp]. destruct (Heads k o p Ho Hp) as [E1 E2]. destruct (O k p Hp) as [O1 O2].
    split; [congruence|]. intros v i Hv Hi. destruct (Views k o p v Ho Hp E1) as [Vw _]. destruct (Vw Hv) as (w & Hw & Es).
    rewrite (E2 v w i Hv Hw Hi). apply O2; auto. unfold inbox in *. rewrite Es. auto.
  - intros s y i G Cy Hi. destruct (frame_ok_ _ _ _ Fb G Cy) as (Ns & L & U). destruct (All s y G Cy) as (s' & z & Gz & Es & Ek & Cz).
    destruct (frame_ok_ _ _ _ Fa Gz Cz) as (_ & L' & _). destruct (Ex s' z Gz Cz L') as (s2 & y2 & G2 & Es2 & Ek2 & E).
    assert (s2 = s) by (apply (U s2 y2); congruence). subst s2. assert (y2 = y) by congruence. subst y2.
    destruct (compared_ok _ _ _ _ Hc Fb Gz Cz s y G (eq_sym Es) (eq_sym Ek)) as [_ Sy]. rewrite Sy in Hi.
    rewrite (E i Hi), <- Es, <- Ek. apply (X s' z i Gz Cz Hi).
Qed.

Variable make : N -> list (behaviour V) -> list (N * list Z) -> list (N * list Z * list V) -> nat -> list Z -> V.
Hypothesis Make : depends_on_behaviour V make.
Variables (table : numbers) (bodies : PM.t (list nat)) (all : list item) (n fuel : nat) (p q : ops V) (none : trace).
Hypothesis Table : numbers_hold nv table.
Notation before_of := (fun j => match nth_error all j with Some x => i_before x | None => none end).
Notation after_of := (fun j => match nth_error all j with Some x => i_after x | None => none end).
Hypothesis Pb : runs_bodies nv V make bodies before_of p.
Hypothesis Qb : runs_bodies nv V make bodies after_of q.
Hypothesis Same : same_but_for_bodies V bodies p q.
Hypothesis Inside : forall x, In x all -> body_ok x = true -> stays_inside nv (i_before x) /\ stays_inside nv (i_after x).
Hypothesis Ids : forall x, In x all -> identities_hold V p (i_ids x).
Hypothesis Accepted : accepts_all table bodies all n fuel = true.

Lemma item_right k x : nth_error all k = Some x ->
  (forall j y, (j < k)%nat -> nth_error all j = Some y -> body_ok y = true -> does_the_same V (does p (i_before y)) (does q (i_after y))) ->
  forall mb ma, run p (i_before x) mb -> run q (i_after x) ma -> begin_alike V false (i_before x) (i_after x) (mb 0%N) (ma 0%N) ->
  right nv V (i_ask x) (i_before x) (i_after x) mb ma.
Proof.
  intros Hx IH mb ma Rb Ra Bg. unfold accepts_all in Accepted. rewrite forallb_forall in Accepted.
  pose proof (Accepted _ (in_numbered _ _ _ Hx)) as A. cbn [fst snd] in A. unfold item_ok in A.
  apply andb_true_iff in A as [A Sa]. apply andb_true_iff in A as [A _].
  apply (accepted_is_right _ _ _ _ _ _ _ _ _ _ A nv Table V p mb ma); auto; [apply Ids; eapply nth_error_In; eauto|].
  apply (run_agree q); auto. destruct Same as (F & E & O). split; [|split]; auto.
  intros j s G El outs ins slot i. pose proof (steps_ok_spec _ _ Sa _ _ G) as S. unfold step_ok in S.
  destruct (get (s_key s) bodies) as [js|] eqn:B; [|symmetry; apply O; auto].
  rewrite (Pb _ _ B), (Qb _ _ B). symmetry. apply Make. apply andb_true_iff in S as [_ S]. rewrite forallb_forall in S. clear B.
  induction js as [|j' js IHj]; [constructor|]. constructor; [|apply IHj; intros; apply S; right; auto].
  pose proof (S j' (or_introl eq_refl)) as T. apply andb_true_iff in T as [T1 T2]. apply Nat.ltb_lt in T1.
  destruct (nth_error all j') as [y|] eqn:Ey; [|discriminate]. apply (IH j'); auto.
Qed.
Lemma one_function k : forall j x, (j < k)%nat -> nth_error all j = Some x -> body_ok x = true ->
  does_the_same V (does p (i_before x)) (does q (i_after x)).
Proof.
  induction k as [|k IH]; intros j x L Hx Ok; [lia|]. destruct (Nat.eq_dec j k) as [->|]; [|apply (IH j); auto; lia].
  destruct (Inside x (nth_error_In _ _ Hx) Ok) as [Ib Ia]. intros e r. split; intros D m R E.
  - destruct (some_run p _ e Ib) as (mb & Rb & Eb). specialize (D mb Rb Eb).
    apply (leaves_both x _ _ mb m r (item_right k x Hx IH mb m Rb R (alike_at_entry _ _ _ _ e Eb E)) eq_refl eq_refl Ok). auto.
  - destruct (some_run q _ e Ia) as (ma & Ra & Ea). specialize (D ma Ra Ea).
    apply (leaves_both x _ _ m ma r (item_right k x Hx IH m ma R Ra (alike_at_entry _ _ _ _ e E Ea)) eq_refl eq_refl Ok). auto.
Qed.
End Right.

(* The theorem, for a text whose graphs have steps with bodies: for all sizes that are what the table says, all contents, all that
   operators with bodies may make of what these do, and all operators of two graphs that are the same but for bodies, which each graph
   has as its own: what is accepted is right. *)
Theorem accepted_with_bodies_is_right : forall table bodies all n fuel, accepts_all table bodies all n fuel = true ->
  forall nv, numbers_hold nv table -> forall V make, depends_on_behaviour V make -> forall (p q : ops V) none,
  runs_bodies nv V make bodies (fun j => match nth_error all j with Some x => i_before x | None => none end) p ->
  runs_bodies nv V make bodies (fun j => match nth_error all j with Some x => i_after x | None => none end) q ->
  same_but_for_bodies V bodies p q ->
  (forall x, In x all -> body_ok x = true -> stays_inside nv (i_before x) /\ stays_inside nv (i_after x)) ->
  (forall x, In x all -> identities_hold V p (i_ids x)) ->
  forall x mb ma, In x all -> run nv V p (i_before x) mb -> run nv V q (i_after x) ma ->
  begin_alike V false (i_before x) (i_after x) (mb 0%N) (ma 0%N) -> right nv V (i_ask x) (i_before x) (i_after x) mb ma.
Proof.
  intros table bodies all n fuel A nv T V make M p q none Pb Qb Sm I Id x mb ma Hx Rb Ra Bg.
  apply In_nth_error in Hx as (k & Hx). eapply item_right; eauto. intros j y _ Hy Ok. eapply (one_function nv V) with (k := S j); eauto.
Qed.
