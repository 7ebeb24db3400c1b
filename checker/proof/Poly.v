(* Numbers of the table as polynomials: sums of products of symbols and other numbers that are no sums. What is known of them:
   such a sum, and bounds. Nothing in here has to be believed; [numbers_hold] (Sem.v) says what the table means. *)
Require Import List ZArith NArith Bool Lia.
From NC Require Import Sem.
Import ListNotations.

(* What is known of numbers: a constant, a sum of products, bounds. It stands for its constants where it is applied. *)
Record knows := Knows { k_const :> num -> option Z; k_sum : num -> sums; k_low : num -> option Z; k_high : num -> option Z }.
Definition knows_of (t : numbers) : knows :=
  Knows (fun k => match get k (n_sum t) with Some [] => Some 0%Z | Some [(z, [])] => Some z | _ => None end)
        (fun k => match get k (n_sum t) with Some s => s | None => [(1%Z, [k])] end)
        (fun k => get k (n_low t)) (fun k => get k (n_high t)).

(* a table of constants *)
Definition only_constants (m : PM.t Z) : numbers := Numbers (PM.map (fun z => [(z, [])]) m) (PM.empty _) (PM.empty _).

Section Do.
Variable ks : knows.
Definition mono_dec := list_eq_dec N.eq_dec.
Fixpoint add_one (c : Z) (m : list num) (p : sums) : sums :=
  match p with
  | [] => if Z.eqb c 0 then [] else [(c, m)]
  | (d, n) :: r => if mono_dec m n then if Z.eqb (c + d) 0 then r else (c + d, n)%Z :: r else (d, n) :: add_one c m r
  end.
Definition plus_ (p q : sums) : sums := fold_right (fun x => add_one (fst x) (snd x)) q p.
Fixpoint put_factor (k : num) (m : list num) : list num :=
  match m with [] => [k] | j :: r => if N.leb k j then k :: m else j :: put_factor k r end.
Definition times_mono (m n : list num) : list num := fold_right put_factor n m.
Definition scaled (c : Z) (m : list num) (q : sums) : sums := fold_right (fun x => add_one (c * fst x) (times_mono m (snd x))) [] q.
Definition times_ (p q : sums) : sums := fold_right (fun x acc => plus_ (scaled (fst x) (snd x) q) acc) [] p.
Definition minus_ (p q : sums) : sums := plus_ p (scaled (-1) [] q).
Definition constant (z : Z) : sums := if Z.eqb z 0 then [] else [(z, [])].

(* The least and the greatest value that bounds of its factors allow, where none can be negative. *)
Fixpoint mono_low (m : list num) : option Z :=
  match m with
  | [] => Some 1%Z
  | k :: r => match k_low ks k, mono_low r with Some x, Some y => if Z.leb 0 x then Some (x * y)%Z else None | _, _ => None end
  end.
Fixpoint mono_high (m : list num) : option Z :=
  match m with
  | [] => Some 1%Z
  | k :: r => match k_low ks k, k_high ks k, mono_high r with
              | Some x, Some z, Some y => if Z.leb 0 x then Some (z * y)%Z else None
              | _, _, _ => None
              end
  end.
Fixpoint lower (p : sums) : option Z :=
  match p with
  | [] => Some 0%Z
  | (c, m) :: r => match (if Z.ltb c 0 then mono_high m else mono_low m), lower r with Some x, Some y => Some (c * x + y)%Z | _, _ => None end
  end.
Definition not_negative (p : sums) : bool := match lower p with Some z => Z.leb 0 z | None => false end.
Definition at_most (p q : sums) : bool := not_negative (minus_ q p).
Definition above_0 (k : num) : bool := at_most (constant 1) (k_sum ks k).
End Do.

(* What is known is so. *)
Class consts_hold (nv : num -> Z) (ks : knows) : Prop := {
  cval_ok : forall k z, ks k = Some z -> nv k = z;
  sum_ok : forall k, nv k = sum_value nv (k_sum ks k);
  low_ok : forall k z, k_low ks k = Some z -> (z <= nv k)%Z;
  high_ok : forall k z, k_high ks k = Some z -> (nv k <= z)%Z }.
Lemma knows_of_ok nv t : numbers_hold nv t -> consts_hold nv (knows_of t).
Proof.
  intros (S & L & H). split; simpl; auto.
  - intros k z E. destruct (get k (n_sum t)) as [s|] eqn:G; [|discriminate]. rewrite (S _ _ G). clear - E.
    destruct s as [|[c [|]] [|]]; inversion E; subst; unfold sum_value, product_value; simpl; lia.
  - intros k. destruct (get k (n_sum t)) as [s|] eqn:G; [apply S; auto|]. change (nv k = 1 * (nv k * 1) + 0)%Z. lia.
Qed.
Lemma only_constants_hold nv m : (forall k z, get k m = Some z -> nv k = z) -> numbers_hold nv (only_constants m).
Proof.
  intros H. unfold only_constants. split; [|split]; unfold get in *; simpl.
  - intros k s E. rewrite PM.gmap in E. destruct (PM.find _ m) as [z|] eqn:G; [|discriminate]. inversion E; subst. rewrite (H _ _ G).
    unfold sum_value, product_value. simpl. lia.
  - intros k z E. rewrite PM.gempty in E. discriminate.
  - intros k z E. rewrite PM.gempty in E. discriminate.
Qed.

Section Right.
Context {nv : num -> Z} {ks : knows} {Holds : consts_hold nv ks}.
Notation value := (sum_value nv).
Notation product := (product_value nv).
Lemma value_nil : value [] = 0%Z.
Proof. reflexivity. Qed.
Lemma product_nil : product [] = 1%Z.
Proof. reflexivity. Qed.
Lemma product_cons k m : product (k :: m) = (nv k * product m)%Z.
Proof. reflexivity. Qed.
Lemma value_cons c m p : value ((c, m) :: p) = (c * product m + value p)%Z.
Proof. reflexivity. Qed.
Lemma add_one_ok c m p : value (add_one c m p) = (c * product m + value p)%Z.
Proof.
  induction p as [|[d n] r IH]; cbn [add_one].
  - destruct (Z.eqb_spec c 0); [subst; rewrite value_nil; lia | reflexivity].
  - destruct (mono_dec m n) as [->|]; [|rewrite !value_cons, IH; lia]. destruct (Z.eqb_spec (c + d) 0); rewrite !value_cons; nia.
Qed.
Lemma plus_ok_ p q : value (plus_ p q) = (value p + value q)%Z.
Proof. induction p as [|[c m] p IH]; [reflexivity|]. cbn [plus_ fold_right]. fold (plus_ p q). rewrite add_one_ok, IH, value_cons. cbn [fst snd]. lia. Qed.
Lemma put_factor_ok k m : product (put_factor k m) = (nv k * product m)%Z.
Proof.
  induction m as [|j r IH]; cbn [put_factor]; auto. destruct (N.leb k j); auto. rewrite !product_cons, IH. ring.
Qed.
Lemma times_mono_ok m n : product (times_mono m n) = (product m * product n)%Z.
Proof.
  induction m as [|k m IH]; [cbn [times_mono fold_right]; rewrite product_nil; lia|]. cbn [times_mono fold_right]. fold (times_mono m n). rewrite put_factor_ok, IH.
  rewrite product_cons. ring.
Qed.
Lemma scaled_ok c m q : value (scaled c m q) = (c * product m * value q)%Z.
Proof.
  induction q as [|[d n] q IH]; [cbn [scaled fold_right]; rewrite value_nil; lia|]. cbn [scaled fold_right]. fold (scaled c m q). rewrite add_one_ok, times_mono_ok, IH, value_cons.
  cbn [fst snd]. ring.
Qed.
Lemma times_ok_ p q : value (times_ p q) = (value p * value q)%Z.
Proof.
  induction p as [|[c m] p IH]; [reflexivity|]. cbn [times_ fold_right]. fold (times_ p q). rewrite plus_ok_, scaled_ok, IH, value_cons.
  cbn [fst snd]. ring.
Qed.
Lemma minus_ok_ p q : value (minus_ p q) = (value p - value q)%Z.
Proof. unfold minus_. rewrite plus_ok_, scaled_ok, product_nil. lia. Qed.
Lemma constant_ok z : value (constant z) = z.
Proof. unfold constant. destruct (Z.eqb_spec z 0); [subst; reflexivity|]. rewrite value_cons, value_nil, product_nil. lia. Qed.
Lemma mono_low_ok m : forall z, mono_low ks m = Some z -> (0 <= z <= product m)%Z.
Proof.
  induction m as [|k r IH]; cbn [mono_low mono_high]; intros z H; [inversion H; rewrite product_nil; lia|]. destruct (k_low ks k) as [x|] eqn:L; [|discriminate].
  destruct (mono_low ks r) as [y|]; [|discriminate]. destruct (Z.leb_spec 0 x); [|discriminate]. inversion H; subst.
  apply low_ok in L. specialize (IH _ eq_refl). rewrite product_cons. nia.
Qed.
Lemma mono_high_ok m : forall z, mono_high ks m = Some z -> (0 <= product m <= z)%Z.
Proof.
  induction m as [|k r IH]; cbn [mono_low mono_high]; intros z H; [inversion H; rewrite product_nil; lia|]. destruct (k_low ks k) as [x|] eqn:L; [|discriminate].
  destruct (k_high ks k) as [w|] eqn:U; [|discriminate]. destruct (mono_high ks r) as [y|]; [|discriminate].
  destruct (Z.leb_spec 0 x); [|discriminate]. inversion H; subst. apply low_ok in L. apply high_ok in U. specialize (IH _ eq_refl).
  rewrite product_cons. nia.
Qed.
Lemma lower_ok p : forall z, lower ks p = Some z -> (z <= value p)%Z.
Proof.
  induction p as [|[c m] p IH]; cbn [lower]; intros z H; [inversion H; rewrite value_nil; lia|].
  destruct (Z.ltb_spec c 0).
  - destruct (mono_high ks m) as [x|] eqn:E; [|discriminate]. destruct (lower ks p) as [y|]; [|discriminate]. inversion H; subst.
    apply mono_high_ok in E. specialize (IH _ eq_refl). rewrite value_cons. nia.
  - destruct (mono_low ks m) as [x|] eqn:E; [|discriminate]. destruct (lower ks p) as [y|]; [|discriminate]. inversion H; subst.
    apply mono_low_ok in E. specialize (IH _ eq_refl). rewrite value_cons. nia.
Qed.
Lemma at_most_ok p q : at_most ks p q = true -> (value p <= value q)%Z.
Proof.
  unfold at_most, not_negative. destruct (lower ks _) as [z|] eqn:E; [|discriminate]. intros H. apply Z.leb_le in H.
  apply lower_ok in E. rewrite minus_ok_ in E. lia.
Qed.
Lemma above_0_ok k : above_0 ks k = true -> (1 <= nv k)%Z.
Proof. intros H. apply at_most_ok in H. rewrite constant_ok in H. rewrite (sum_ok (nv := nv) k). auto. Qed.
End Right.
