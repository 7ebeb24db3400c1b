(* Why memory holds what separate storages would hold where places are right ([places_right], Sem.v): what a step writes by one
   placement changes no bit of another that counts, so each read finds what it would find in a storage of its own. Bytes that
   are handed over are in it. Steps run in the order in which they stand, and a step of arenas is, as in Sem.v, a function of
   what lay there when it began. *)
Require Import List ZArith NArith Bool Lia FMapPositive Permutation FinFun.
From NC Require Import Sem Maps Progress.
Import ListNotations.

(* --- elements of one placement have bits of their own, inside of it --- *)
Definition product (sh : list Z) : Z := fold_right Z.mul 1%Z sh.
Lemma flat_within sh : forall i x, In i (box sh) -> (x * product sh <= flat sh i x < (x + 1) * product sh)%Z.
Proof.
  induction sh as [|e sh IH]; intros i x H.
  - destruct H as [<-|[]]. simpl. lia.
  - apply in_box_cons in H as (u & j & -> & Hu & Hj). specialize (IH j (x * e + u)%Z Hj).
    change (product (e :: sh)) with (e * product sh)%Z. cbn [flat]. assert (0 <= product sh)%Z by nia. nia.
Qed.
Lemma product_permutation l m : Permutation l m -> product l = product m.
Proof. intros P. induction P; simpl; lia. Qed.
Lemma in_box_nth sh : forall i, length i = length sh -> (forall k, (k < length sh)%nat -> (0 <= nth k i 0 < nth k sh 0)%Z) -> In i (box sh).
Proof.
  induction sh as [|e sh IH]; intros [|x i] L H; simpl in L; try discriminate.
  - left. auto.
  - apply in_box_cons. exists x, i. split; auto. split; [apply (H 0%nat); simpl; lia|]. apply IH; [lia|].
    intros k Hk. apply (H (S k)). simpl. lia.
Qed.
Lemma all_in_turn {A} (d : A) (l : list A) : map (fun k => nth k l d) (seq 0 (length l)) = l.
Proof.
  apply (nth_ext _ _ d d); rewrite map_length, seq_length; auto. intros k Hk.
  rewrite (nth_indep _ d (nth 0 l d)) by (rewrite map_length, seq_length; auto).
  rewrite (map_nth (fun k => nth k l d)), seq_nth; auto.
Qed.
Lemma nth_of_map {A} (f : A -> Z) l k a : (k < length l)%nat -> nth k (map f l) 0%Z = f (nth k l a).
Proof. intros H. rewrite (nth_indep _ 0%Z (f a)) by (rewrite map_length; auto). apply map_nth. Qed.

Section Arenas.
Variable nv : num -> Z.
Variable t : trace.
Definition picked (p : placement) (l : list Z) : list Z := map (fun d => nth (N.to_nat d) l 0%Z) (p_order p).
Definition bits (st : N) : Z := match get st (t_st t) with Some x => st_bits x | None => 0 end.
Notation extents st := (map nv (shape_of t st)).
Lemma address_flat p st c :
  address nv t p st c = (8 * nv (p_offset p) + bits st * flat (picked p (extents st)) (picked p c) 0)%Z.
Proof.
  unfold address, picked, bits. cbv zeta. f_equal. f_equal.
  assert (G : forall o x, fold_left (fun at_ d => at_ * nth (N.to_nat d) (extents st) 0 + nth (N.to_nat d) c 0)%Z o x =
    flat (map (fun d => nth (N.to_nat d) (extents st) 0%Z) o) (map (fun d => nth (N.to_nat d) c 0%Z) o) x)
    by (induction o as [|d o IH]; intros x; simpl; auto).
  apply G.
Qed.
Lemma picked_box p st c : full_order t p st -> inbox nv (shape_of t st) c -> In (picked p c) (box (picked p (extents st))).
Proof.
  intros [_ F] H. unfold picked. apply in_box_nth; [rewrite !map_length; auto|]. rewrite map_length. intros k Hk.
  set (d := nth k (p_order p) 0%N). assert (D : In d (p_order p)) by (apply nth_In; auto).
  rewrite !(nth_of_map _ _ _ 0%N) by auto. fold d.
  apply box_nth; auto. rewrite map_length. apply F. auto.
Qed.
Lemma picked_product p st : full_order t p st -> product (picked p (extents st)) = elements nv (shape_of t st).
Proof.
  intros [Nd F]. transitivity (product (extents st)).
  - apply product_permutation. unfold picked. rewrite <- (map_map N.to_nat (fun k => nth k (extents st) 0%Z)).
    etransitivity; [|rewrite <- (all_in_turn 0%Z (extents st)); reflexivity]. apply Permutation_map. apply NoDup_Permutation.
    + apply FinFun.Injective_map_NoDup; auto. intros x y. apply N2Nat.inj.
    + apply seq_NoDup.
    + intros k. rewrite in_map_iff, in_seq, map_length. split.
      * intros (d & <- & D). apply F in D. lia.
      * intros K. exists (N.of_nat k). rewrite Nat2N.id. split; auto. apply F. rewrite Nat2N.id. lia.
  - clear. unfold product, elements. induction (shape_of t st) as [|e sh IH]; cbn [map fold_right]; congruence.
Qed.
Lemma picked_apart p st c d : full_order t p st -> inbox nv (shape_of t st) c -> inbox nv (shape_of t st) d ->
  picked p c = picked p d -> c = d.
Proof.
  intros [_ F] Hc Hd E. apply (nth_ext_box (extents st)); auto. intros k Hk. rewrite map_length in Hk.
  assert (K : In (N.of_nat k) (p_order p)) by (apply F; rewrite Nat2N.id; auto).
  unfold picked in E. rewrite map_ext_in_iff in E. specialize (E _ K). simpl in E. rewrite Nat2N.id in E. auto.
Qed.
(* An element lies within the bytes of its placement, *)
Lemma within p st x c : well_placed nv t p -> p_storage p = Some st -> get st (t_st t) = Some x -> full_order t p st ->
  inbox nv (shape_of t st) c ->
  (0 < bits st /\ 8 * nv (p_offset p) <= address nv t p st c /\ address nv t p st c + bits st <= 8 * (nv (p_offset p) + nv (p_size p)))%Z.
Proof.
  intros [_ W] Hp Hx F Hc. destruct (W _ _ Hp Hx) as [[W1 W2] _]. rewrite address_flat.
  assert (Eb : bits st = st_bits x) by (unfold bits; rewrite Hx; auto).
  assert (Es : shape_of t st = st_sh x) by (unfold shape_of; rewrite Hx; auto).
  pose proof (flat_within _ _ 0%Z (picked_box p st c F Hc)) as B. rewrite picked_product in B by auto. rewrite Es in *. rewrite Eb in *. nia.
Qed.
(* and two of one placement have no bit in common. *)
Lemma elements_apart p st c d : (0 < bits st)%Z -> full_order t p st -> inbox nv (shape_of t st) c -> inbox nv (shape_of t st) d -> c <> d ->
  (address nv t p st c + bits st <= address nv t p st d \/ address nv t p st d + bits st <= address nv t p st c)%Z.
Proof.
  intros Hb F Hc Hd Ne. rewrite !address_flat. pose proof (picked_box p st c F Hc) as Bc. pose proof (picked_box p st d F Hd) as Bd.
  destruct (Z.lt_trichotomy (flat (picked p (extents st)) (picked p c) 0) (flat (picked p (extents st)) (picked p d) 0)) as [L|[E|L]].
  - left. nia.
  - exfalso. apply Ne. apply (flat_inj _ _ _ _ _ Bc Bd) in E as [_ E]. eapply picked_apart; eauto.
  - right. nia.
Qed.
(* Placements that are apart have no bit in common. *)
Theorem apart_bytes p q sp sq x y c d : bytes_apart nv p q -> well_placed nv t p -> well_placed nv t q ->
  p_storage p = Some sp -> p_storage q = Some sq -> get sp (t_st t) = Some x -> get sq (t_st t) = Some y ->
  full_order t p sp -> full_order t q sq -> inbox nv (shape_of t sp) c -> inbox nv (shape_of t sq) d ->
  (address nv t p sp c + bits sp <= address nv t q sq d \/ address nv t q sq d + bits sq <= address nv t p sp c)%Z.
Proof.
  intros A Wp Wq Ep Eq Gp Gq Fp Fq Hc Hd. pose proof (within p sp x c Wp Ep Gp Fp Hc) as P.
  pose proof (within q sq y d Wq Eq Gq Fq Hd) as Q. unfold bytes_apart in A. lia.
Qed.

(* --- what is meant --- *)
(* Each bit of each arena; an element is what its bits are. *)
Variable B : Type.
Definition arena := N -> Z -> B.
Notation mem := (mem (list B)).
Variable op : ops (list B).
Definition load (a : arena) (p : placement) (st : N) (c : list Z) : list B :=
  map (fun k => a (p_arena p) (address nv t p st c + k)%Z) (range (bits st)).
Definition placed (p : placement) (st : N) : Prop := In p (t_places t) /\ p_storage p = Some st.
Definition loose (st : N) : Prop := forall p, ~ placed p st.
(* Bit z of arena x is of an element that the step writes. *)
Definition hit (s : step) (x : N) (z : Z) : Prop := exists p w c, In w (s_writes s) /\ placed p (v_st w) /\ p_arena p = x /\
  holds_cell nv w (v_st w) c /\ (address nv t p (v_st w) c <= z < address nv t p (v_st w) c + bits (v_st w))%Z.
(* A step of arenas, and of storages that are in none: it finds a memory there, in what it reads, makes of it what [exec] says,
   and stores the bits of the elements that it writes, and no other. *)
Definition arena_exec (s : step) (a a' : arena) (u u' : mem) : Prop := exists m m',
  (forall r p c, In r (s_reads s) -> placed p (v_st r) -> inbox nv (shape_of t (v_st r)) c -> m (v_st r) c = load a p (v_st r) c) /\
  (forall st c, loose st -> m st c = u st c) /\ exec nv (list B) op t s m m' /\ (forall st c, loose st -> u' st c = m' st c) /\
  (forall w p c, In w (s_writes s) -> placed p (v_st w) -> holds_cell nv w (v_st w) c -> load a' p (v_st w) c = m' (v_st w) c) /\
  (forall x z, ~ hit s x z -> a' x z = a x z).
Definition arena_run (a : N -> arena) (u : N -> mem) : Prop :=
  (forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> arena_exec s (a k) (a (N.succ k)) (u k) (u (N.succ k))) /\
  (forall k, (k < t_n t)%N -> get k (t_steps t) <> None).
(* What is read at an index is there: where a step goes through elements, its operands have the shape of what it writes. *)
Definition shaped (s : step) : Prop := s_kind s = Move \/ s_elem s = true ->
  forall r w, In r (s_reads s) -> In w (s_writes s) -> v_sh r = v_sh w.
(* What is asked: places are right; placed storages are in the table, and their placements name each dimension once; steps stand
   in the order of the steps of the graph; and no step disturbs itself. *)
Definition arranged : Prop := places_right nv t /\
  (forall p st, placed p st -> get st (t_st t) <> None /\ full_order t p st) /\
  (forall j k s u, (j <= k)%N -> (k < t_n t)%N -> get j (t_steps t) = Some s -> get k (t_steps t) = Some u ->
     (s_origin s <= s_origin u)%N) /\
  forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> clean nv s /\ shaped s.
(* When the contents of a storage count: from its first use on, or from the beginning where they are given, until its last use,
   or for ever where the placement outlives all steps. *)
Definition used_at (k st : N) : Prop := (k < t_n t)%N /\ exists s, get k (t_steps t) = Some s /\ touches s st.
Definition is_given (st : N) : Prop := exists x, get st (t_st t) = Some x /\ st_start x = given.
Definition outlives (p : placement) : Prop :=
  forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> (N.succ (s_origin s) < p_last p)%N.
Definition begun (st k : N) : Prop := (exists j, (j <= k)%N /\ used_at j st) \/ is_given st.
Definition counts (p : placement) (st k : N) : Prop :=
  placed p st /\ begun st k /\ ((exists j, (k <= j)%N /\ used_at j st) \/ outlives p).
Definition agree (a : arena) (m : mem) (p : placement) (st : N) : Prop :=
  forall c, inbox nv (shape_of t st) c -> load a p st c = m st c.

(* --- one step --- *)
Section Step.
Hypothesis A : arranged.
Lemma placed_twice p q sp sq : placed p sp -> placed q sq -> p = q \/
  (p_arena p = p_arena q -> (exists g, p_first p <= g < p_last p /\ p_first q <= g < p_last q)%N ->
   bytes_apart nv p q \/ hands_over nv t p q \/ hands_over nv t q p).
Proof.
  intros [Ip _] [Iq _]. destruct A as ((_ & P) & _). apply In_nth_error in Ip as [j Hj], Iq as [k Hk].
  destruct (Nat.eq_dec j k) as [->|D]; [left; congruence | right; eauto].
Qed.
Lemma lives p st k s : placed p st -> (k < t_n t)%N -> get k (t_steps t) = Some s -> touches s st ->
  (p_first p <= s_origin s < p_last p)%N.
Proof.
  intros [Ip Ep] Hk Hs T. destruct A as ((W & _) & G & _). destruct (G p st (conj Ip Ep)) as [Gs _].
  destruct (get st (t_st t)) as [x|] eqn:E; [|congruence]. destruct (W p Ip) as [_ W']. destruct (W' st x Ep E) as (_ & L & _). eauto.
Qed.
(* What counts before and after a step does not meet what the step writes. *)
Lemma no_clash p q sp k s w : counts p sp k -> counts p sp (N.succ k) -> (k < t_n t)%N -> get k (t_steps t) = Some s ->
  In w (s_writes s) -> placed q (v_st w) -> p = q \/ p_arena p <> p_arena q \/ bytes_apart nv p q.
Proof.
  intros (Pp & Bg & _) (_ & _ & Nd) Hk Hs Hw Pq. destruct (placed_twice p q _ _ Pp Pq) as [E|P]; [auto|].
  destruct (N.eq_dec (p_arena p) (p_arena q)) as [Ea|]; [|auto]. right. right.
  assert (Tq : touches s (v_st w)) by (exists w; split; auto; apply in_or_app; auto).
  pose proof (lives q _ k s Pq Hk Hs Tq) as Lq. destruct A as ((W & _) & G & Or & _).
  assert (Lo : (p_first p <= s_origin s)%N).
  { destruct Bg as [(i & Li & Hi & si & Gi & Ti)|(x & Gx & Ex)].
    - pose proof (lives p sp i si Pp Hi Gi Ti). pose proof (Or i k si s Li Hk Gi Hs). lia.
    - destruct Pp as [Ip Ep]. destruct (W p Ip) as [_ W']. destruct (W' sp x Ep Gx) as (_ & _ & F & _). rewrite (F Ex). lia. }
  assert (Hi : (s_origin s < p_last p)%N).
  { destruct Nd as [(j & Lj & Hj & sj & Gj & Tj)|O].
    - pose proof (lives p sp j sj Pp Hj Gj Tj). pose proof (Or k j s sj ltac:(lia) Hj Hs Gj). lia.
    - specialize (O k s Hk Hs). lia. }
  destruct (P Ea) as [H|[H|H]]; [exists (s_origin s); lia | auto | |]; exfalso.
  - destruct H as (E & _ & sp' & sq' & E1 & E2 & _ & H). destruct Pp as [Ip Ep], Pq as [Iq Eq].
    rewrite Ep in E1. inversion E1; subst sp'. rewrite Eq in E2. inversion E2; subst sq'.
    destruct Nd as [(j & Lj & Hj & sj & Gj & Tj)|O]; [|specialize (O k s Hk Hs); lia].
    pose proof (lives p sp j sj (conj Ip Ep) Hj Gj Tj). pose proof (Or k j s sj ltac:(lia) Hj Hs Gj).
    destruct (H j k sj s Hj Hk Gj Hs ltac:(lia) ltac:(lia) Tj Tq) as [L|[L _]]; lia.
  - destruct Bg as [(i & Li & Hi' & si & Gi & Ti)|(x & Gx & Ex)]; 
      [|destruct Pp as [Ip Ep], H as (_ & H & _), (W p Ip) as [_ W'], (W' sp x Ep Gx) as (_ & _ & F & _); rewrite (F Ex) in H; lia].
    destruct H as (E & _ & sq' & sp' & E1 & E2 & _ & H). pose proof (lives p sp i si Pp Hi' Gi Ti). pose proof (Or i k si s Li Hk Gi Hs).
    destruct Pp as [Ip Ep], Pq as [Iq Eq]. rewrite Ep in E2. inversion E2; subst sp'. rewrite Eq in E1. inversion E1; subst sq'.
    destruct (H k i s si Hk Hi' Hs Gi ltac:(lia) ltac:(lia) Tq Ti) as [L|(_ & L & _)]; [lia | apply (L w Hw); auto].
Qed.
Lemma result_same s m n b w i : shaped s -> nth_error (s_writes s) b = Some w -> inbox nv (v_sh w) i ->
  (forall r j, In r (s_reads s) -> inbox nv (v_sh r) j -> elem nv (list B) m r j = elem nv (list B) n r j) ->
  result nv (list B) op s m b i = result nv (list B) op s n b i.
Proof.
  intros Sh Hw Hi H. unfold result. rewrite Hw. pose proof (nth_error_In _ _ Hw) as Iw. destruct (s_kind s) eqn:K; auto.
  - destruct (s_reads s) as [|r l] eqn:R; auto. rewrite (H r i); auto; [left; auto|]. unfold shaped in Sh. rewrite R in Sh.
    rewrite (Sh (or_introl K) r w); auto. left. auto.
  - destruct (s_elem s) eqn:E.
    + f_equal. apply map_ext_in. intros r Hr. apply H; auto. rewrite (Sh (or_intror E) r w); auto.
    + f_equal. apply map_ext_in. intros r Hr. unfold operand. f_equal. apply map_ext_in. intros j Hj. apply H; auto.
Qed.
Lemma written_in s m m' w c : exec nv (list B) op t s m m' -> In w (s_writes s) -> holds_cell nv w (v_st w) c ->
  inbox nv (shape_of t (v_st w)) c.
Proof. intros (Bo & _) Hw (_ & i & Hi & <-). apply lands_root. apply Bo; auto. apply in_or_app. auto. Qed.
Lemma placed_or_loose st : (exists p, placed p st) \/ loose st.
Proof.
  unfold loose, placed. induction (t_places t) as [|q l IH]; [right; intros p [[] _]|].
  destruct IH as [(p & I & E)|IH]; [left; exists p; split; auto; right; auto|].
  assert (D : p_storage q = Some st \/ p_storage q <> Some st)
    by (destruct (p_storage q) as [x|]; [destruct (N.eq_dec x st); [left | right]; congruence | right; congruence]).
  destruct D as [D|D]; [left; exists q; split; auto; left; auto | right; intros p [[<-|I] E]; auto]. apply (IH p). auto.
Qed.
(* If all that counts before a step agrees, then what its own memory finds there is what separate storages have, *)
Lemma reads_agree k s a u m n : (k < t_n t)%N -> get k (t_steps t) = Some s -> (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) ->
  (forall r p c, In r (s_reads s) -> placed p (v_st r) -> inbox nv (shape_of t (v_st r)) c -> m (v_st r) c = load a p (v_st r) c) ->
  (forall st c, loose st -> m st c = u st c) -> (forall q sq, counts q sq k -> agree a n q sq) -> (forall st c, loose st -> u st c = n st c) ->
  forall r j, In r (s_reads s) -> inbox nv (v_sh r) j -> elem nv (list B) m r j = elem nv (list B) n r j.
Proof.
  intros Hk Hs Bo M U Ag Lo r j Hr Hj. unfold elem. destruct (placed_or_loose (v_st r)) as [[p P]|L].
  - assert (C : inbox nv (shape_of t (v_st r)) (root nv (v_maps r) j)) by (apply lands_root, Bo; auto; apply in_or_app; auto).
    rewrite (M r p); auto. apply Ag; auto. assert (T : used_at k (v_st r)) by (split; auto; exists s; split; auto; exists r; split; auto; apply in_or_app; auto).
    split; auto. split; left; exists k; split; auto; lia.
  - rewrite U, Lo; auto.
Qed.
(* it writes what they get, *)
Lemma writes_agree s m m' n n' w c : clean nv s -> shaped s -> exec nv (list B) op t s m m' -> exec nv (list B) op t s n n' ->
  (forall r j, In r (s_reads s) -> inbox nv (v_sh r) j -> elem nv (list B) m r j = elem nv (list B) n r j) ->
  In w (s_writes s) -> holds_cell nv w (v_st w) c -> m' (v_st w) c = n' (v_st w) c.
Proof.
  intros Cl Sh (_ & _ & M) (_ & _ & E) R Hw (_ & i & Hi & <-). apply In_nth_error in Hw as [b Hb].
  rewrite (M Cl b w i), (E Cl b w i); auto. apply (result_same s m n b w i); auto.
Qed.
(* and its writes change no bit of what counted before it and counts after it. *)
Lemma not_hit k s m m' p st c : counts p st k -> counts p st (N.succ k) -> (k < t_n t)%N -> get k (t_steps t) = Some s ->
  exec nv (list B) op t s m m' -> inbox nv (shape_of t st) c -> (forall w, In w (s_writes s) -> ~ holds_cell nv w st c) ->
  forall z, (address nv t p st c <= z < address nv t p st c + bits st)%Z -> ~ hit s (p_arena p) z.
Proof.
  intros C1 C2 Hk Hs X Hc No z Hz (q & w & d & Hw & Pq & Ea & Hd & Hz'). pose proof (written_in _ _ _ _ _ X Hw Hd) as Bd.
  destruct C1 as (Pp & C1'). pose proof (conj Pp C1' : counts p st k) as C1.
  pose proof A as ((W & _) & G & _). destruct (G _ _ Pp) as [Gp Fp], (G _ _ Pq) as [Gq Fq].
  destruct (get st (t_st t)) as [x|] eqn:Ex; [|congruence]. destruct (get (v_st w) (t_st t)) as [y|] eqn:Ey; [|congruence].
  destruct Pp as [Ip Ep], Pq as [Iq Eq]. destruct (no_clash p q st k s w C1 C2 Hk Hs Hw (conj Iq Eq)) as [E|[E|E]]; [|congruence|].
  - subst q. rewrite Ep in Eq. inversion Eq as [E]. rewrite <- E in *. assert (Ne : c <> d) by (intros ->; apply (No w Hw); auto).
    pose proof (within p st x c (W p Ip) Ep Ex Fp Hc) as Wi. destruct (elements_apart p st c d ltac:(lia) Fp Hc Bd Ne); lia.
  - destruct (apart_bytes p q st (v_st w) x y c d E (W p Ip) (W q Iq) Ep Eq Ex Ey Fp Fq Hc Bd); lia.
Qed.
(* So if arenas and separate storages agree in all that counts before a step, they do so after it in what counted before. *)
Theorem separate k s a a' u u' n n' : (k < t_n t)%N -> get k (t_steps t) = Some s -> arena_exec s a a' u u' ->
  exec nv (list B) op t s n n' -> (forall q sq, counts q sq k -> agree a n q sq) -> (forall st c, loose st -> u st c = n st c) ->
  (forall p st, counts p st k -> counts p st (N.succ k) -> agree a' n' p st) /\ (forall st c, loose st -> u' st c = n' st c).
Proof.
  intros Hk Hs (m & m' & M & U & X & U' & Wr & St) Y Ag Lo. pose proof A as (_ & _ & _ & Ok). destruct (Ok k s Hk Hs) as [Cl Sh].
  pose proof (reads_agree k s a u m n Hk Hs (proj1 X) M U Ag Lo) as R.
  assert (Wa : forall w c, In w (s_writes s) -> holds_cell nv w (v_st w) c -> m' (v_st w) c = n' (v_st w) c)
    by (intros; eapply writes_agree; eauto).
  assert (D : forall st c, (exists w, In w (s_writes s) /\ v_st w = st /\ holds_cell nv w st c) \/ forall w, In w (s_writes s) -> ~ holds_cell nv w st c).
  { intros st c. destruct (find_cell nv (s_writes s) 0 st c) as [[b i]|] eqn:F; [left | right; apply (find_none _ _ _ _ _ F)].
    apply find_some in F as [_ (w & Hb & E & Hi & Er)]. exists w. split; [eapply nth_error_In; eauto|]. split; auto. split; eauto. }
  split.
  - intros p st C1 C2 c Hc. destruct (D st c) as [(w & Hw & <- & Hcw)|No].
    + rewrite (Wr w p c); auto. apply C1.
    + destruct Y as (_ & Y & _). rewrite Y by auto. rewrite <- (Ag p st C1 c Hc). unfold load. apply map_ext_in. intros b Hb.
      apply in_range in Hb. apply St. apply (not_hit k s m m' p st c); auto. lia.
  - intros st c L. rewrite U' by auto. destruct (D st c) as [(w & Hw & <- & Hcw)|No]; auto.
    destruct X as (_ & X & _), Y as (_ & Y & _). rewrite X, Y by auto. rewrite U by auto. auto.
Qed.
End Step.

(* --- a whole run --- *)
(* When the contents of a storage begin to count, it holds what its bits are: given contents at the beginning, and what nobody
   wrote at its first use. *)
Definition comes (st k : N) : Prop := (is_given st /\ k = 0%N) \/ (~ is_given st /\ used_at k st /\ forall j, (j < k)%N -> ~ used_at j st).
Lemma given_dec st : is_given st \/ ~ is_given st.
Proof.
  unfold is_given. destruct (get st (t_st t)) as [x|]; [|right; intros (x & H & _); discriminate].
  destruct (N.eq_dec (st_start x) given); [left; eauto | right; intros (y & H & E); congruence].
Qed.
Definition uses (k st : N) : bool :=
  N.ltb k (t_n t) && match get k (t_steps t) with Some s => existsb (fun v => N.eqb (v_st v) st) (s_reads s ++ s_writes s) | None => false end.
Lemma uses_ok k st : uses k st = true <-> used_at k st.
Proof.
  unfold uses, used_at. rewrite andb_true_iff, N.ltb_lt. split; intros [L H]; split; auto.
  - destruct (get k (t_steps t)) as [s|]; [|discriminate]. exists s. split; auto. apply existsb_exists in H as (v & Hv & E).
    exists v. split; auto. apply N.eqb_eq. auto.
  - destruct H as (s & -> & v & Hv & E). apply existsb_exists. exists v. split; auto. apply N.eqb_eq. auto.
Qed.
Lemma used_before st k : (exists j, (j <= k)%N /\ used_at j st) \/ forall j, (j <= k)%N -> ~ used_at j st.
Proof.
  induction k as [|k [(j & L & T)|IH]] using N.peano_ind.
  - destruct (uses 0 st) eqn:E; [left; exists 0%N; split; [lia | apply uses_ok; auto] | right].
    intros j L T. apply uses_ok in T. replace j with 0%N in T by lia. congruence.
  - left. exists j. split; auto. lia.
  - destruct (uses (N.succ k) st) eqn:E; [left; exists (N.succ k); split; [lia | apply uses_ok; auto] | right].
    intros j L T. destruct (N.eq_dec j (N.succ k)) as [->|]; [apply uses_ok in T; congruence | apply (IH j); auto; lia].
Qed.
Theorem separate_run a u n : arranged -> arena_run a u -> run nv (list B) op t n -> (forall st c, loose st -> u 0%N st c = n 0%N st c) ->
  (forall p st k, placed p st -> comes st k -> agree (a k) (n k) p st) ->
  forall k, (k <= t_n t)%N -> (forall p st, counts p st k -> agree (a k) (n k) p st) /\ forall st c, loose st -> u k st c = n k st c.
Proof.
  intros A (Ra & _) (Rn & Sn & _) U0 Co k. induction k as [|k IH] using N.peano_ind; intros Hk.
  - split; auto. intros p st (P & Bg & _). apply Co; auto. destruct (given_dec st) as [G|G]; [left; auto | right]. split; auto.
    destruct Bg as [(j & Lj & T)|G']; [|contradiction]. replace 0%N with j by lia. split; auto. intros i Li. lia.
  - assert (Lk : (k < t_n t)%N) by lia. destruct (IH ltac:(lia)) as [Ag Lo]. destruct (get k (t_steps t)) as [s|] eqn:Hs; [|apply Sn in Hs; tauto].
    destruct (separate A k s _ _ _ _ _ _ Lk Hs (Ra k s Lk Hs) (Rn k s Lk Hs) Ag Lo) as [S1 S2]. split; auto.
    intros p st C. pose proof C as (P & Bg & Nd).
    assert (D : begun st k \/ comes st (N.succ k)).
    { destruct (given_dec st) as [G|G]; [left; right; auto|]. destruct (used_before st k) as [E|No]; [left; left; auto | right; right].
      split; auto. destruct Bg as [(j & Lj & T)|]; [|contradiction]. destruct (N.eq_dec j (N.succ k)) as [->|]; [|exfalso; apply (No j); auto; lia].
      split; auto. intros i Li. apply No. lia. }
    destruct D as [D|D]; [|apply Co; auto]. apply S1; auto. split; auto. split; auto.
    destruct Nd as [(j & Lj & T)|O]; [left; exists j; split; auto; lia | right; auto].
Qed.

(* --- there is such a run --- *)
(* What nobody wrote may be anything: in a storage of its own it is what its bits are at its first use. *)
Fixpoint first_use (steps : nat) (k st : N) : N :=
  match steps with O => k | S r => if uses k st then k else first_use r (N.succ k) st end.
Definition birth (st : N) : N :=
  match get st (t_st t) with
  | Some x => if N.eqb (st_start x) given then 0%N else first_use (N.to_nat (t_n t)) 0 st
  | None => first_use (N.to_nat (t_n t)) 0 st
  end.
Definition beginning (a : N -> arena) (u : mem) : mem := fun st c =>
  match find (fun p => match p_storage p with Some s => N.eqb s st | None => false end) (t_places t) with
  | Some p => load (a (birth st)) p st c
  | None => u st c
  end.
Lemma first_use_ok st j : used_at j st -> (forall i, (i < j)%N -> ~ used_at i st) ->
  forall r k, (k <= j)%N -> (j < k + N.of_nat r)%N -> first_use r k st = j.
Proof.
  intros T No r. induction r as [|r IH]; intros k L1 L2; [lia|]. cbn [first_use]. destruct (uses k st) eqn:E.
  - destruct (N.eq_dec k j) as [->|]; auto. apply uses_ok in E. exfalso. apply (No k); auto. lia.
  - apply IH; [|lia]. destruct (N.eq_dec k j) as [->|]; [|lia]. apply uses_ok in T. congruence.
Qed.
Lemma birth_ok st k : comes st k -> birth st = k.
Proof.
  unfold birth. intros [[(x & -> & ->) ->]|(G & T & No)]; [rewrite N.eqb_refl; auto|].
  assert (F : first_use (N.to_nat (t_n t)) 0 st = k) by (apply first_use_ok; auto; [lia | destruct T; lia]).
  destruct (get st (t_st t)) as [x|] eqn:E; auto. destruct (N.eqb_spec (st_start x) given) as [H|]; auto.
  exfalso. apply G. exists x. auto.
Qed.
Lemma unused_stays n st c k : run nv (list B) op t n -> (k <= t_n t)%N -> (forall j, (j < k)%N -> ~ used_at j st) -> n k st c = n 0%N st c.
Proof.
  intros (R & S & _). induction k as [|k IH] using N.peano_ind; intros L No; auto. rewrite <- IH by (lia || (intros; apply No; lia)).
  destruct (get k (t_steps t)) as [s|] eqn:E; [|apply S in E; [contradiction | lia]]. destruct (R k s ltac:(lia) E) as (_ & F & _).
  apply F. intros w Hw [Hc _]. apply (No k); [lia|]. split; [lia|]. exists s. split; auto. exists w. split; auto. apply in_or_app. auto.
Qed.
(* Whatever a run of arenas does, a run of separate storages does, in all that counts, *)
Theorem arenas_refine a u : arranged -> (forall p q st, placed p st -> placed q st -> p = q) -> arena_run a u ->
  (forall o v, In o (t_out t) -> o_view o = Some v -> in_bounds nv t v) ->
  exists n, run nv (list B) op t n /\ n 0%N = beginning a (u 0%N) /\ forall k, (k <= t_n t)%N ->
    (forall p st, counts p st k -> agree (a k) (n k) p st) /\ forall st c, loose st -> u k st c = n k st c.
Proof.
  intros A One R Out. destruct (runs_exist nv (list B) op t (beginning a (u 0%N))) as (n & Rn & N0); auto.
  { intros k Hk. destruct R as [R S]. destruct (get k (t_steps t)) as [s|] eqn:E; [|apply S in E; tauto]. exists s. split; auto.
    destruct (R k s Hk E) as (m & m' & _ & _ & (Bo & _) & _). auto. }
  exists n. split; auto. split; auto. apply separate_run; auto.
  - intros st c L. rewrite N0. unfold beginning. destruct (find _ _) as [p|] eqn:F; auto. apply List.find_some in F as [I E].
    destruct (p_storage p) as [x|] eqn:Ep; [|discriminate]. apply N.eqb_eq in E. subst. exfalso. apply (L p). split; auto.
  - intros p st k P C c Hc. pose proof (birth_ok st k C) as Bk. rewrite (unused_stays n) by
      (auto; destruct C as [[_ ->]|(_ & [L _] & No)]; try lia; auto; intros; lia).
    rewrite N0. unfold beginning. rewrite Bk. destruct (find _ _) as [q|] eqn:F.
    + apply List.find_some in F as [I E]. destruct (p_storage q) as [x|] eqn:Eq; [|discriminate]. apply N.eqb_eq in E. subst x.
      rewrite (One p q st); auto. split; auto.
    + destruct P as [I E]. pose proof (List.find_none _ _ F p I) as H. simpl in H. rewrite E, N.eqb_refl in H. discriminate.
Qed.
(* and so it is in what is returned. *)
Theorem outputs_agree a n o v p i : arranged -> (forall q st, counts q st (t_n t) -> agree (a (t_n t)) (n (t_n t)) q st) ->
  In o (t_out t) -> o_view o = Some v -> in_bounds nv t v -> placed p (v_st v) -> begun (v_st v) (t_n t) -> inbox nv (v_sh v) i ->
  load (a (t_n t)) p (v_st v) (root nv (v_maps v) i) = elem nv (list B) (n (t_n t)) v i.
Proof.
  intros ((W & _) & G & _) Ag Ho Hv Bo P Bg Hi. apply Ag; [|apply lands_root, Bo; auto]. split; auto. split; auto. right.
  destruct (G p _ P) as [Gs _]. destruct P as [I E]. destruct (get (v_st v) (t_st t)) as [x|] eqn:Ex; [|congruence].
  destruct (W p I) as [_ W']. destruct (W' _ x E Ex) as (_ & _ & _ & L). intros k s. apply L. left. exists o, v. auto.
Qed.
End Arenas.
