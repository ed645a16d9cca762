<?php

/**
 * A small shop that takes cards, in French. Run it with PHP's own server:
 *
 *     php -S 127.0.0.1:8080 ports/php/shop.php
 *
 * After a payment whose outcome is not certain, the staff of the shop find out what became of it:
 *
 *     php ports/php/shop.php resolve ORDER INTENT committed
 *
 * See README.md for what to copy and what to change.
 *
 * What holds at every step: each press of "Payer" ends on a page that says what happened, and no
 * order is paid twice. Checkout sees to that. The session has nothing but the ids of the orders.
 */

declare(strict_types=1);

use Cardseal\CardPayments;
use Cardseal\Checkout;
use Cardseal\IssuedKey;
use Cardseal\LastTry;
use Cardseal\Order;
use Cardseal\Outcome;
use Cardseal\PdoStore;
use Cardseal\Resolution;
use Cardseal\Status;

// In your shop: require 'vendor/autoload.php'.
spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/src/' . substr($class, strlen('Cardseal\\')) . '.php';
});

const PRODUCT = 'Un livre';
const AMOUNT = 2490; // minor units: 24.90
const CURRENCY = 'USD';

/** The script of the card form, `dist/cardseal.js`: beside this file, or in a clone. */
const SCRIPTS = [__DIR__ . '/cardseal.js', __DIR__ . '/../../dist/cardseal.js'];

const NOT_PAID = 'Le paiement n’a pas pu être effectué. Vous n’avez pas payé. '
    . 'Saisissez à nouveau votre carte.';
const RETRY_IS_SAFE = 'Nous ne savons pas encore si vous avez payé. '
    . 'Saisissez à nouveau votre carte : vous ne paierez pas deux fois.';

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
    'payment_unavailable' => 'Le paiement par carte est indisponible.',
    'reload_page' => 'Rechargez la page, puis saisissez à nouveau votre carte.',
    'press_again' => 'Appuyez à nouveau sur Payer. Si cela ne suffit pas, rechargez la page.',
    'payment_under_way' => 'Le paiement est en cours. Attendez la page suivante.',
    'one_moment' => 'Un instant…',
    'no_answer' => 'Il n’y a pas encore de réponse. Appuyez à nouveau sur Payer.',
];

const TEN_DECLINES = '<p>La carte a été refusée, et aucune autre ne peut être essayée. '
    . 'Vous n’avez pas payé. Contactez-nous.</p>';
const WITHDRAWN = '<p>Cette commande est annulée. Votre carte n’a pas été débitée. '
    . '<a href="/">Retour à la boutique</a></p>';

/** What the shopper reads about a decline, where it helps them. */
const DECLINES = [
    'insufficient_funds' => 'provision insuffisante',
    'expired_card' => 'la carte a expiré',
    'incorrect_cvc' => 'le code de sécurité est incorrect',
];

// An error can repeat what was posted: none reaches the page.
ini_set('display_errors', '0');

if (PHP_SAPI === 'cli') {
    resolve(array_slice($argv, 1));
    return;
}
if ($_SERVER['REQUEST_URI'] === '/cardseal.js') {
    sendScript();
    return;
}
startSession();
try {
    route($_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
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
        'GET /paiement' => showPayment(),
        'POST /paiement' => pay(),
        'POST /paiement/cle' => sendKey(),
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
    $_SESSION += ['csrf' => bin2hex(random_bytes(32)), 'orders' => []];
}

/** The token that a page of this session carries, as a form field or as a header. */
function hasCsrfToken(): bool
{
    $token = $_POST['csrf'] ?? $_SERVER['HTTP_X_CSRF_TOKEN'] ?? null;
    return is_string($token) && hash_equals($_SESSION['csrf'], $token);
}

/** Goes on with the newest order unless it is over: two orders for one cart are two charges. */
function startOrder(): void
{
    if (!hasCsrfToken()) {
        redirect('/');
        return;
    }
    $id = end($_SESSION['orders']); // false if there is none
    if ($id === false || isOver(checkout()->outcome($id))) {
        // In a real shop: what comes out of the cart, with its price, in the database.
        $id = bin2hex(random_bytes(8));
        $_SESSION['orders'][] = $id;
    }
    // As after a login: an id that somebody else may know does not go into the checkout.
    session_regenerate_id(true);
    redirect("/paiement?commande=$id");
}

/** Whether the next purchase is a new order: the one before is paid, or was withdrawn. */
function isOver(Outcome $outcome): bool
{
    return $outcome->isPaid() || $outcome->status === Status::NoOrder;
}

/** The order of this id, if it is one of this session; null otherwise. */
function findOrder(mixed $id): ?Order
{
    // PHP lets no other request of this session run until it is closed: a payment can take long.
    session_write_close();
    if (!in_array($id, $_SESSION['orders'], true)) {
        return null;
    }
    return new Order($id, AMOUNT, CURRENCY, PRODUCT);
}

// --- The payment --------------------------------------------------------------------------------

function checkout(): Checkout
{
    $payments = new CardPayments(
        getenv('CARD_PAYMENTS_URL') ?: 'http://127.0.0.1:3001',
        // The sandbox's, which is published. Yours never stands in a file of the shop.
        getenv('CARD_PAYMENTS_SECRET_KEY') ?: 'sk_test_bookshop_published_key',
        1000 * (int) (getenv('CARD_PAYMENTS_TIMEOUT_S') ?: 30),
    );
    // A folder that lasts. Yours is no part of what the web server sends.
    $folder = getenv('SHOP_DATA') ?: __DIR__ . '/data';
    if (!is_dir($folder)) {
        @mkdir($folder, 0700); // another request may be faster
    }
    $store = PdoStore::sqlite("$folder/orders.sqlite");
    return new Checkout($payments, $store, $store->limits());
}

/** data-cardseal-key-url: another key, when the shopper corrects the card on the same page. */
function sendKey(): void
{
    header('Cache-Control: no-store');
    $order = findOrder($_GET['commande'] ?? null);
    if (!hasCsrfToken() || $order === null) {
        http_response_code(409);
        return;
    }
    $issued = checkout()->issueKey($order, $_SERVER['REMOTE_ADDR']);
    sendStatus($issued);
    header('Content-Type: application/json');
    $refusal = $issued->retryAfter === null ? 'no_key' : 'too_many';
    echo json_encode($issued->key ?? ['status' => $refusal], JSON_THROW_ON_ERROR);
}

/** The page of an order: the form, or how the payment went. */
function showPayment(): void
{
    $order = findOrder($_GET['commande'] ?? null);
    if ($order === null) {
        // The session is gone. It may have paid.
        http_response_code(404);
        showUnclear(null);
        return;
    }
    showOutcome($order, checkout()->outcome($order->id));
}

function pay(): void
{
    $order = findOrder($_POST['commande'] ?? null);
    if (!hasCsrfToken() || $order === null) {
        // The session that this page was made for is gone. It may have paid with this block.
        http_response_code(409);
        showUnclear(null);
        return;
    }
    set_time_limit(120); // longer than the service and a second tab may take
    $checkout = checkout();
    $posted = $_POST['encrypted_card'] ?? null;
    $outcome = $checkout->pay($order, $posted, $_SERVER['REMOTE_ADDR']);
    $now = $checkout->outcome($order->id);
    if ($outcome->status === Status::InvalidEncryptedCard) {
        http_response_code(400);
        showOutcome($order, $now, NOT_PAID);
    } elseif ($outcome->status === Status::NoOrder) {
        // The block is none of this order. Another one may have been paid with it.
        http_response_code(409);
        showUnclear($order->id);
    } else {
        redirect('/paiement?' . http_build_query(['commande' => $order->id]));
    }
}

/** $text stands above the form. It must be true of an order of which nothing is uncertain. */
function showOutcome(Order $order, Outcome $outcome, ?string $text = null): void
{
    match ($outcome->status) {
        Status::Committed, Status::Authorized => showReceipt((string) $outcome->reference),
        Status::Failed => showPage('Paiement refusé', TEN_DECLINES),
        Status::NoOrder => showPage('Commande annulée', WITHDRAWN),
        Status::Open => showForm($order, textOf($outcome) ?? $text),
        default => showUnclear($order->id),
    };
}

/** What became of the last try. */
function textOf(Outcome $outcome): ?string
{
    return match ($outcome->last) {
        LastTry::Failed => declineText($outcome),
        LastTry::NotPaid => NOT_PAID,
        LastTry::RetryIsSafe => RETRY_IS_SAFE,
        null => null,
    };
}

function declineText(Outcome $outcome): string
{
    return 'La carte a été refusée : ' . (DECLINES[$outcome->reason ?? ''] ?? 'refus de la banque')
        . '. Vous n’avez pas payé. Essayez une autre carte.';
}

/** For the staff: php shop.php resolve ORDER INTENT committed|authorized|not_paid */
function resolve(array $arguments): void
{
    if (count($arguments) !== 4 || $arguments[0] !== 'resolve') {
        fwrite(STDERR, "Usage: shop.php resolve ORDER INTENT committed|authorized|not_paid\n");
        exit(2);
    }
    [, $orderId, $intentId, $resolution] = $arguments;
    echo json_encode(checkout()->resolve($orderId, $intentId, Resolution::from($resolution))), "\n";
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

function showForm(Order $order, ?string $text): void
{
    $issued = checkout()->issueKey($order, $_SERVER['REMOTE_ADDR']);
    if ($issued->key === null && $issued->outcome !== null) { // another tab was faster
        showOutcome($order, $issued->outcome);
        return;
    }
    if ($issued->key === null) {
        showUnavailable($order, $issued);
        return;
    }
    $key = escape(json_encode($issued->key, JSON_THROW_ON_ERROR));
    $orderId = escape($order->id);
    $keyUrl = escape("/paiement/cle?commande=$orderId");
    $messages = escape(json_encode(MESSAGES, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR));
    $csrf = escape($_SESSION['csrf']);
    $text = textOf($issued->outcome) ?? $text;
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
          <input type="hidden" name="commande" value="$orderId">
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

/** The service gives no key, or has given many: the shopper can try again. */
function showUnavailable(Order $order, IssuedKey $issued): void
{
    sendStatus($issued);
    $outcome = checkout()->outcome($order->id);
    if ($outcome->status !== Status::Open) {
        showOutcome($order, $outcome);
        return;
    }
    $truth = $outcome->last === LastTry::RetryIsSafe
        ? 'Nous ne savons pas encore si vous avez payé.'
        : 'Vous n’avez pas payé.';
    $address = escape("/paiement?commande={$order->id}");
    showPage('Paiement indisponible', '<p>La boutique ne peut pas encaisser pour le moment. '
        . "$truth</p><p><a href=\"$address\">Réessayer</a></p>");
}

function showReceipt(string $intentId): void
{
    $reference = escape($intentId);
    $price = price();
    showPage('Merci', <<<HTML
        <h1>Merci, votre commande est payée</h1>
        <p>Montant : $price</p>
        <p>Référence : $reference</p>
        <p><a href="/">Passer une autre commande</a></p>
        HTML);
}

/** The answer was lost, or nobody knows this checkout any more: the shop has to find out. */
function showUnclear(?string $orderId): void
{
    $reference = $orderId === null ? '' : '<p>Référence : ' . escape($orderId) . '</p>';
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

function sendStatus(IssuedKey $issued): void
{
    if ($issued->retryAfter !== null) {
        http_response_code(429);
        header("Retry-After: $issued->retryAfter");
    } elseif ($issued->key === null) {
        http_response_code($issued->outcome === null ? 502 : 409);
    }
}

/** 303: the browser asks for the page with GET, so that a reload posts nothing. */
function redirect(string $path): void
{
    header("Location: $path", true, 303);
}
