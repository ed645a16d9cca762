<?php

/**
 * A small shop that takes cards, in French. Run it with PHP's own server:
 *
 *     php -S 127.0.0.1:8080 demo/merchant/php/shop.php
 *
 * See README.md for what to copy and what to change.
 *
 * What holds at every step: each press of "Payer" ends on a page that says what happened, and no
 * order is paid twice. The session remembers which keys were given out, and which were used.
 */

declare(strict_types=1);

use Cardseal\CardEncryptionError;
use Cardseal\CardPayments;
use Cardseal\CardPaymentsError;

use function Cardseal\browserKey;
use function Cardseal\parseEncryptedCard;

require __DIR__ . '/cardseal.php';

const PRODUCT = 'Un livre';
const AMOUNT = 2490; // minor units: 24.90
const CURRENCY = 'USD';

/** The script of the card form, `dist/cardseal.js` of the package: beside this file, or in a clone. */
const SCRIPTS = [__DIR__ . '/cardseal.js', __DIR__ . '/../../../dist/cardseal.js'];

/** Longer than one request to the service takes. After that nobody is waiting for its answer. */
const AUTHORIZING_SECONDS = 60;

const EXPIRED = 'Cela a pris trop de temps. Saisissez à nouveau votre carte. '
    . 'Vous n’avez pas payé.';
const REFUSED = 'Le paiement n’a pas pu être effectué. Vous n’avez pas payé. '
    . 'Saisissez à nouveau votre carte.';

/** What the shopper reads, by the names that the card form gives to problems. */
const MESSAGES = [
    'number_required' => 'Saisissez le numéro de la carte',
    'number_invalid' => 'Vérifiez le numéro de la carte',
    'name_required' => 'Saisissez le nom inscrit sur la carte',
    'name_invalid' => 'Vérifiez le nom inscrit sur la carte',
    'name_too_long' => 'Abrégez le nom inscrit sur la carte',
    'expiry_required' => 'Choisissez la date d’expiration',
    'expiry_invalid' => 'Vérifiez la date d’expiration',
    'expiry_past' => 'Cette carte a expiré',
    'cvv_required' => 'Saisissez le code de sécurité',
    'cvv_invalid' => 'Vérifiez le code de sécurité',
    'payment_unavailable' => 'Le paiement par carte est indisponible. Vous n’avez pas payé.',
    'reload_page' => 'Rechargez la page, puis saisissez à nouveau votre carte. '
        . 'Vous n’avez pas payé.',
    'press_again' => 'Appuyez à nouveau sur Payer. Si cela ne suffit pas, rechargez la page. '
        . 'Vous n’avez pas payé.',
    'payment_under_way' => 'Le paiement est en cours. Attendez la page suivante.',
    'one_moment' => 'Un instant…',
];

/** What the shopper reads about a decline, where it helps them. */
const DECLINES = [
    'insufficient_funds' => 'provision insuffisante',
    'expired_card' => 'la carte a expiré',
    'incorrect_cvc' => 'le code de sécurité est incorrect',
];

// An error can repeat what was posted: none reaches the page.
ini_set('display_errors', '0');

// The result of a payment has to be written down even if the shopper closes the page.
ignore_user_abort(true);
set_time_limit(2 * AUTHORIZING_SECONDS);

if ($_SERVER['REQUEST_URI'] === '/cardseal.js') {
    sendScript();
    return;
}
startSession();
try {
    route($_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
} catch (CardPaymentsError $error) {
    error_log("Card Payment Service: $error->recovery, status $error->status");
    http_response_code(502);
    showPage('Paiement indisponible', '<p>La boutique ne peut pas encaisser pour le moment. '
        . 'Vous n’avez pas payé.</p><p><a href="">Réessayer</a></p>');
} catch (Throwable $error) {
    // Without its message: an error can repeat what was posted.
    error_log('Failed: ' . get_class($error) . " at {$error->getFile()}:{$error->getLine()}");
    http_response_code(500);
    showPage('Erreur', '<p>La boutique n’a pas pu le faire. <a href="/">Retour</a></p>');
}

function route(string $request): void
{
    match ($request) {
        'GET /' => showCart(),
        'POST /commande' => startOrder(),
        'GET /paiement' => showPayment((string) ($_GET['commande'] ?? '')),
        'POST /paiement' => pay(),
        'POST /paiement/cle' => sendKey((string) ($_GET['commande'] ?? '')),
        default => showNothing(),
    };
}

// --- The session --------------------------------------------------------------------------------

function startSession(): void
{
    session_start([
        'use_strict_mode' => true, // an id that this server did not make is replaced
        'cookie_httponly' => true,
        'cookie_samesite' => 'Lax',
        'cookie_secure' => !empty($_SERVER['HTTPS']),
        'cache_limiter' => '', // showPage sends the header
    ]);
    $_SESSION += ['csrf' => bin2hex(random_bytes(32)), 'orders' => [], 'spent' => []];
}

/** The token that a page of this session carries, as a form field or as a header. */
function hasCsrfToken(): bool
{
    $token = $_POST['csrf'] ?? $_SERVER['HTTP_X_CSRF_TOKEN'] ?? null;
    return is_string($token) && hash_equals($_SESSION['csrf'], $token);
}

/**
 * A new order: in a real shop, what comes out of the cart. Its phase:
 *
 * - open: the shopper may enter a card.
 * - authorizing: a card is at the service.
 * - paid.
 * - unresolved: the answer was lost. No card is asked for again; somebody has to find out.
 */
function startOrder(): void
{
    if (!hasCsrfToken()) {
        redirect('/');
        return;
    }
    // As after a login: an id that somebody else may know does not go into the checkout. Not while
    // a payment is running in another tab: pay() would not find its session again.
    if (!in_array('authorizing', array_map('phaseOf', $_SESSION['orders']), true)) {
        session_regenerate_id(true);
    }
    $id = bin2hex(random_bytes(8));
    $_SESSION['orders'][$id] = [
        'phase' => 'open',
        'intent' => null, // the id of the draft that the next card pays
        'keys' => [], // id => expires_at, of every key that was given out and not used
        'notice' => null,
    ];
    redirect("/paiement?commande=$id");
}

function phaseOf(array $order): string
{
    // The process may have died between the request and the answer.
    $isLost = $order['phase'] === 'authorizing' && time() - $order['since'] > AUTHORIZING_SECONDS;
    return $isLost ? 'unresolved' : $order['phase'];
}

// --- The key ------------------------------------------------------------------------------------

/** A fresh key for this order, noted in the session, and the draft that it will pay. */
function issueKey(string $orderId): array
{
    $order = &$_SESSION['orders'][$orderId];
    $order['intent'] ??= createIntent();
    $key = payments()->createEncryptionKey();
    // All of them: the shopper may have the page open twice.
    $order['keys'][$key['id']] = $key['expires_at'];
    return browserKey($key);
}

/** data-cardseal-key-url: another key, when the shopper corrects the card on the same page. */
function sendKey(string $orderId): void
{
    header('Cache-Control: no-store');
    $order = $_SESSION['orders'][$orderId] ?? null;
    if (!hasCsrfToken() || $order === null || phaseOf($order) !== 'open') {
        http_response_code(409);
        return;
    }
    try {
        $key = issueKey($orderId);
        header('Content-Type: application/json');
        echo json_encode($key, JSON_THROW_ON_ERROR);
    } catch (CardPaymentsError $error) {
        http_response_code(502);
    }
}

// --- The payment --------------------------------------------------------------------------------

function pay(): void
{
    $posted = $_POST['encrypted_card'] ?? null;
    $keyId = keyIdOf($posted);

    // The same block once more, by "Back", a reload or a second press: the outcome of the first.
    $first = $_SESSION['spent'][$keyId] ?? null;
    if ($first !== null) {
        redirect("/paiement?commande=$first");
        return;
    }
    $orderId = is_string($_POST['commande'] ?? null) ? $_POST['commande'] : '';
    if (!hasCsrfToken() || !isset($_SESSION['orders'][$orderId])) {
        // The session that this page was made for is gone. It may have paid with this block.
        http_response_code(409);
        showUnclear(null);
        return;
    }
    $order = &$_SESSION['orders'][$orderId];
    if (phaseOf($order) !== 'open') {
        redirect("/paiement?commande=$orderId");
        return;
    }
    $expiresAt = $order['keys'][$keyId] ?? null;
    try {
        // A key that this order did not give out is no key of this order.
        $ours = $expiresAt === null ? null : $keyId;
        $card = parseEncryptedCard($posted, keyId: $ours, expiresAt: $expiresAt);
    } catch (CardEncryptionError $error) {
        $hasExpired = $expiresAt !== null && $expiresAt < 1000 * microtime(true);
        $order['notice'] = $hasExpired ? EXPIRED : REFUSED;
        redirect("/paiement?commande=$orderId");
        return;
    }
    $_SESSION['spent'][$keyId] = $orderId;
    unset($order['keys'][$keyId]);
    $order['phase'] = 'authorizing';
    $order['since'] = time();
    $paying = $order;
    // Written down before the card is sent on: whatever happens now, no second card is asked for.
    session_write_close();
    $outcome = charge($paying, $card);
    startSession();
    $_SESSION['orders'][$orderId] = $outcome + $paying;
    redirect("/paiement?commande=$orderId");
}

/** Charges the card, once. Returns what the order has to remember. */
function charge(array $order, array $card): array
{
    try {
        // The draft may have been used up in another tab since this key was issued.
        $intentId = $order['intent'] ?? createIntent();
    } catch (Throwable $error) {
        error_log('No draft: ' . get_class($error));
        return ['phase' => 'open', 'notice' => REFUSED];
    }
    return authorize($intentId, $card) + ['intent' => $intentId];
}

function authorize(string $intentId, array $card): array
{
    try {
        $intent = payments()->authorize($intentId, $card, bin2hex(random_bytes(16)));
    } catch (Throwable $error) {
        $recovery = $error instanceof CardPaymentsError ? $error->recovery : 'resolve_intent';
        error_log("Not authorized: $intentId, $recovery"); // no message: see README.md
        return match ($recovery) {
            'resolve_intent' => ['phase' => 'unresolved'],
            'restart_checkout' => ['phase' => 'open', 'notice' => EXPIRED],
            // Perhaps because of the draft: the next card gets a new one.
            'not_specified' => ['phase' => 'open', 'notice' => REFUSED, 'intent' => null],
            default => ['phase' => 'open', 'notice' => REFUSED],
        };
    }
    if ($intent['status'] === 'committed' || $intent['status'] === 'authorized') {
        return ['phase' => 'paid', 'notice' => null, 'card' => $intent['payment_method']];
    }
    if ($intent['status'] === 'failed') {
        $reason = DECLINES[$intent['failure_reason']] ?? 'refus de la banque';
        $notice = "La carte a été refusée : $reason. Vous n’avez pas payé. "
            . 'Essayez une autre carte.';
        // A declined intent is used up.
        return ['phase' => 'open', 'notice' => $notice, 'intent' => null];
    }
    error_log("Not authorized: $intentId is in a status that the specification does not show");
    return ['phase' => 'unresolved'];
}

/** The key that a posted block names; '' if it names none. Says nothing about the rest of it. */
function keyIdOf(mixed $posted): string
{
    $block = is_string($posted) && strlen($posted) < 16_384 ? json_decode($posted, true) : null;
    $keyId = is_array($block) ? ($block['key_id'] ?? null) : null;
    return is_string($keyId) ? $keyId : '';
}

/** A draft of the payment. Returns its id. */
function createIntent(): string
{
    return payments()->createIntent(AMOUNT, CURRENCY, description: PRODUCT)['id'];
}

function payments(): CardPayments
{
    static $payments = null;
    return $payments ??= new CardPayments(
        getenv('CARD_PAYMENTS_URL') ?: 'http://127.0.0.1:3001',
        // The sandbox's, which is published. Yours never stands in a file of the shop.
        getenv('CARD_PAYMENTS_SECRET_KEY') ?: 'sk_test_bookshop_published_key',
    );
}

// --- The pages ----------------------------------------------------------------------------------

function showCart(): void
{
    $csrf = escape($_SESSION['csrf']);
    $price = price();
    $product = PRODUCT;
    showPage('Panier', <<<HTML
        <h1>Votre panier</h1>
        <p>$product : <strong>$price</strong></p>
        <form method="post" action="/commande">
          <input type="hidden" name="csrf" value="$csrf">
          <button>Commander</button>
        </form>
        HTML);
}

/** The form, or how the payment went. */
function showPayment(string $orderId): void
{
    $order = $_SESSION['orders'][$orderId] ?? null;
    if ($order === null) {
        redirect('/');
        return;
    }
    match (phaseOf($order)) {
        'open' => showForm($orderId),
        'authorizing' => showWaiting(),
        'paid' => showReceipt($orderId, $order),
        'unresolved' => showUnclear($order['intent']),
    };
}

function showForm(string $orderId): void
{
    $key = escape(json_encode(issueKey($orderId), JSON_THROW_ON_ERROR));
    $keyUrl = escape("/paiement/cle?commande=$orderId");
    $messages = escape(json_encode(MESSAGES, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR));
    $csrf = escape($_SESSION['csrf']);
    $order = escape($orderId);
    $text = $_SESSION['orders'][$orderId]['notice'];
    $notice = $text === null ? '' : '<p class="notice" role="alert">' . escape($text) . '</p>';
    $product = PRODUCT;
    $price = price();
    $months = options(range(1, 12));
    $years = options(range((int) date('Y'), (int) date('Y') + 19));
    // No card field has a name: the browser never posts one by itself.
    showPage('Paiement', <<<HTML
        <h1>Paiement</h1>
        $notice
        <p>$product : <strong>$price</strong></p>
        <form method="post" action="/paiement" data-cardseal
              data-cardseal-key="$key" data-cardseal-key-url="$keyUrl"
              data-cardseal-messages="$messages">
          <input type="hidden" name="csrf" value="$csrf">
          <input type="hidden" name="commande" value="$order">
          <p>
            <label for="numero">Numéro de la carte</label>
            <input id="numero" autocomplete="cc-number" inputmode="numeric"
                   aria-describedby="numero-erreur">
            <span id="numero-erreur" class="problem" data-cardseal-message></span>
          </p>
          <p>
            <label for="titulaire">Nom inscrit sur la carte</label>
            <input id="titulaire" autocomplete="cc-name" spellcheck="false"
                   aria-describedby="titulaire-erreur">
            <span id="titulaire-erreur" class="problem" data-cardseal-message></span>
          </p>
          <p>
            <label for="mois">Expire le mois</label>
            <select id="mois" autocomplete="cc-exp-month" aria-describedby="mois-erreur">
              $months
            </select>
            <span id="mois-erreur" class="problem" data-cardseal-message></span>
          </p>
          <p>
            <label for="annee">Expire l’année</label>
            <select id="annee" autocomplete="cc-exp-year" aria-describedby="annee-erreur">
              $years
            </select>
            <span id="annee-erreur" class="problem" data-cardseal-message></span>
          </p>
          <p>
            <label for="code">Code de sécurité</label>
            <input id="code" autocomplete="cc-csc" inputmode="numeric"
                   aria-describedby="code-erreur">
            <span id="code-erreur" class="problem" data-cardseal-message></span>
          </p>
          <p role="alert" data-cardseal-status></p>
          <button disabled autocomplete="off" data-cardseal-enable>Payer $price</button>
          <noscript>
            <p>Le paiement a besoin de JavaScript : il chiffre votre carte sur cette page.</p>
          </noscript>
        </form>
        HTML);
}

function showReceipt(string $orderId, array $order): void
{
    $card = escape("{$order['card']['brand']} terminée par {$order['card']['last4']}");
    $reference = escape($order['intent']);
    $price = price();
    showPage('Merci', <<<HTML
        <h1>Merci, votre commande est payée</h1>
        <p>Montant : $price</p>
        <p>Carte : $card</p>
        <p>Référence : $reference</p>
        <p><a href="/">Passer une autre commande</a></p>
        HTML);
}

/** Comes back by itself until the outcome is known. */
function showWaiting(): void
{
    header('Refresh: 2');
    showPage('Paiement en cours', '<h1>Votre paiement est en cours</h1>'
        . '<p>Ne payez pas une seconde fois. Cette page va se mettre à jour.</p>');
}

/** The answer was lost, or nobody knows this checkout any more: the shop has to find out. */
function showUnclear(?string $intentId): void
{
    $reference = $intentId === null ? '' : '<p>Référence : ' . escape($intentId) . '</p>';
    showPage('Paiement incertain', <<<HTML
        <h1>Nous ne savons pas encore si vous avez payé</h1>
        <p>Ne payez pas une seconde fois. Nous allons vérifier et vous le dire.</p>
        $reference
        <p><a href="/">Retour à la boutique</a></p>
        HTML);
}

function showNothing(): void
{
    http_response_code(404);
    $body = '<p>Cette page n’existe pas. <a href="/">Retour à la boutique</a></p>';
    showPage('Introuvable', $body);
}

function sendScript(): void
{
    header('Content-Type: text/javascript; charset=utf-8');
    echo script();
}

/** $body is HTML: what comes from elsewhere was escaped. */
function showPage(string $title, string $body): void
{
    $nonce = base64_encode(random_bytes(16));
    header('Content-Type: text/html; charset=utf-8');
    header('Cache-Control: no-store'); // the key in the page belongs to this shopper alone
    header('X-Content-Type-Options: nosniff');
    header('Referrer-Policy: no-referrer');
    header("Content-Security-Policy: default-src 'none'; script-src 'self'; connect-src 'self'; "
        . "style-src 'nonce-$nonce'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    $integrity = 'sha384-' . base64_encode(hash('sha384', script(), true));
    $csrf = escape($_SESSION['csrf']);
    echo <<<HTML
        <!doctype html>
        <html lang="fr">
          <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="csrf-token" content="$csrf">
            <title>$title · La Librairie</title>
            <style nonce="$nonce">
              body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 2rem auto; }
              label, .problem { display: block; }
              .problem, .notice { color: #a00; }
              input, select, button { font: inherit; }
            </style>
            <script src="/cardseal.js" integrity="$integrity" defer></script>
          </head>
          <body>
            $body
          </body>
        </html>

        HTML;
}

function script(): string
{
    foreach (SCRIPTS as $path) {
        if (is_file($path)) {
            return file_get_contents($path);
        }
    }
    throw new RuntimeException('Copy dist/cardseal.js of the package beside shop.php');
}

/** @param int[] $numbers */
function options(array $numbers): string
{
    $html = '<option value=""></option>';
    foreach ($numbers as $number) {
        $html .= sprintf('<option value="%1$02d">%1$02d</option>', $number);
    }
    return $html;
}

function price(): string
{
    return number_format(AMOUNT / 100, 2, ',', ' ') . ' $US';
}

function escape(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
}

/** 303: the browser asks for the page with GET, so that a reload posts nothing. */
function redirect(string $path): void
{
    header("Location: $path", true, 303);
}
