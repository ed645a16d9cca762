<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * One sender must not use up what others need. The numbers are those of the TypeScript package. A
 * botnet that behaves like shoppers is not solved by any limit.
 *
 * @internal
 */
final class RequestLimits
{
    /** Each rate: so many at once, and then so many in a second. */
    private const KEYS_OF_ORDER = [6.0, 0.2];
    private const KEYS_OF_SENDER = [60.0, 1.0];
    private const KEYS_OF_ALL = 100.0;
    /** When others have used up the keys of all, these are left for senders that have just come. */
    private const KEYS_OF_NEWCOMERS = 200.0;
    /** So many requests of a sender count as those of a newcomer. */
    private const NEWCOMER = 3;
    private const DECLINES_OF_SENDER = [10.0, 10 / 3600];
    /** So many more cards may be declined than paid before it looks odd. */
    private const DECLINES_OF_ALL = [20.0, 20 / 3600];
    private const NOTES_OF_DECLINES = [1.0, 1 / 600];
    private const NOTES_OF_UNKNOWN_SENDERS = [1.0, 1 / 3600];
    /** A payment that succeeds says that a shared address has honest shoppers. */
    private const GIVEN_BACK_BY_SUCCESS = 5;

    public function __construct(
        private readonly Limits $limits,
        private readonly float $keysPerSecond,
    ) {
    }

    /**
     * Takes one key. Returns 0; or, if none is taken, the seconds to wait before the next try. A
     * request that is refused writes nothing, unless others take the last one at the same moment:
     * or whoever asks too often would keep the database busy.
     */
    public function takeKey(string $orderId, ?string $sender, int $now): int
    {
        $wait = $this->waitForKey($orderId, $sender, $now);
        if ($wait > 0) {
            return $wait;
        }
        $wait = $this->take("order:$orderId", self::KEYS_OF_ORDER, $now);
        if ($wait > 0) {
            return $wait;
        }
        $wait = $sender === null
            ? $this->takeShared(false, $now)
            : $this->takeKeyOfSender($sender, $now);
        if ($wait > 0) {
            $this->limits->giveBack("order:$orderId", 1, self::KEYS_OF_ORDER[0]);
        }
        return $wait;
    }

    private function waitForKey(string $orderId, ?string $sender, int $now): int
    {
        $wait = $this->wait("order:$orderId", self::KEYS_OF_ORDER, $now);
        $isNewcomer = false;
        if ($sender !== null) {
            $wait = max($wait, $this->wait("sender:$sender", self::KEYS_OF_SENDER, $now));
            $isNewcomer = $this->isNewcomer($sender, $now);
        }
        $shared = $this->wait('all', [self::KEYS_OF_ALL, $this->keysPerSecond], $now);
        if ($shared > 0 && $isNewcomer) {
            $rate = [self::KEYS_OF_NEWCOMERS, $this->keysPerSecond];
            $shared = $this->wait('newcomers', $rate, $now);
        }
        return max($wait, $shared);
    }

    private function isNewcomer(string $sender, int $now): bool
    {
        [$burst, $perSecond] = self::KEYS_OF_SENDER;
        $left = $this->limits->left("sender:$sender", $burst, $perSecond, $now);
        return $left > $burst - self::NEWCOMER;
    }

    private function takeKeyOfSender(string $sender, int $now): int
    {
        $isNewcomer = $this->isNewcomer($sender, $now);
        $wait = $this->take("sender:$sender", self::KEYS_OF_SENDER, $now);
        if ($wait > 0) {
            return $wait;
        }
        $wait = $this->takeShared($isNewcomer, $now);
        if ($wait > 0) {
            $this->limits->giveBack("sender:$sender", 1, self::KEYS_OF_SENDER[0]);
        }
        return $wait;
    }

    private function takeShared(bool $isNewcomer, int $now): int
    {
        $wait = $this->take('all', [self::KEYS_OF_ALL, $this->keysPerSecond], $now);
        return $wait > 0 && $isNewcomer
            ? $this->take('newcomers', [self::KEYS_OF_NEWCOMERS, $this->keysPerSecond], $now)
            : $wait;
    }

    /** A try begins. false: this sender has had too many cards declined, or blocks refused. */
    public function beginTry(?string $sender, int $now): bool
    {
        if ($sender === null) {
            return true;
        }
        return $this->take("declines:$sender", self::DECLINES_OF_SENDER, $now) === 0;
    }

    /**
     * A try that has begun ends. Returns whether to note that so many more cards are declined than
     * paid that it looks odd.
     */
    public function endTry(?string $sender, TryEnd $end, int $now): bool
    {
        if ($end === TryEnd::Declined) {
            $isOdd = $this->take('declines', self::DECLINES_OF_ALL, $now) > 0;
            return $isOdd && $this->take('declines noted', self::NOTES_OF_DECLINES, $now) === 0;
        }
        // Such a block needs no card, and leaves an order that a look-up has to settle: bots make
        // as many as they are let.
        if ($end === TryEnd::Refused) {
            return false;
        }
        $isPaid = $end === TryEnd::Paid;
        if ($isPaid) {
            $this->limits->giveBack('declines', 1, self::DECLINES_OF_ALL[0]);
        }
        if ($sender !== null) {
            $count = 1 + ($isPaid ? self::GIVEN_BACK_BY_SUCCESS : 0);
            $this->limits->giveBack("declines:$sender", $count, self::DECLINES_OF_SENDER[0]);
        }
        return false;
    }

    /** Whether to note that senders are not known: processes share nothing that could remember it. */
    public function takeNote(int $now): bool
    {
        return $this->take('no sender', self::NOTES_OF_UNKNOWN_SENDERS, $now) === 0;
    }

    /** @param array{float, float} $rate */
    private function wait(string $name, array $rate, int $now): int
    {
        [$burst, $perSecond] = $rate;
        $left = $this->limits->left($name, $burst, $perSecond, $now);
        return $left < 1 ? (int) ceil((1 - $left) / $perSecond) : 0;
    }

    /** @param array{float, float} $rate */
    private function take(string $name, array $rate, int $now): int
    {
        [$burst, $perSecond] = $rate;
        return $this->limits->take($name, $burst, $perSecond, $now);
    }
}
