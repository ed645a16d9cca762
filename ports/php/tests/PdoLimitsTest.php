<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Limits;
use Cardseal\PdoStore;
use PHPUnit\Framework\TestCase;

/** In SQLite. test/interop/databases.php tries the same in the other databases. */
final class PdoLimitsTest extends TestCase
{
    private const NOW = 1_800_000_000_000;
    private const HOUR_MS = 3_600_000;

    private \PDO $pdo;
    private Limits $limits;

    protected function setUp(): void
    {
        $this->pdo = new \PDO('sqlite::memory:');
        $this->pdo->exec('CREATE TABLE cardseal_limits (name TEXT NOT NULL PRIMARY KEY,'
            . ' remaining REAL NOT NULL, at INTEGER NOT NULL)');
        $this->limits = (new PdoStore($this->pdo))->limits();
    }

    /** How many can be taken at once of 60 and one a second. */
    private function atOnce(int $now): int
    {
        for ($taken = 0; $taken < 1000; $taken++) {
            if ($this->limits->take('a', 60, 1, $now) > 0) {
                break;
            }
        }
        return $taken;
    }

    public function testNoPauseLeavesMoreThanTheBurst(): void
    {
        self::assertSame(60, $this->atOnce(self::NOW));
        self::assertSame(10, $this->atOnce(self::NOW + 10_000));
        self::assertSame(60, $this->atOnce(self::NOW + self::HOUR_MS));
    }

    public function testNothingThatIsGivenBackLeavesMoreThanTheBurst(): void
    {
        self::assertSame(60, $this->atOnce(self::NOW));
        $this->limits->giveBack('a', 2.5, 60);
        self::assertSame(2, $this->atOnce(self::NOW));
        $this->limits->giveBack('a', 1000, 60);
        self::assertSame(60.0, $this->limits->left('a', 60, 1, self::NOW));
        self::assertSame(60, $this->atOnce(self::NOW));
    }

    public function testAClockThatWasSetBackRefusesNobody(): void
    {
        self::assertSame(60, $this->atOnce(self::NOW));
        self::assertSame(60, $this->atOnce(self::NOW - self::HOUR_MS));
        self::assertSame(0, $this->atOnce(self::NOW - self::HOUR_MS));
        self::assertSame(10, $this->atOnce(self::NOW - self::HOUR_MS + 10_000));
    }

    /** @dataProvider perSecond */
    public function testTwoHostsWhoseClocksDifferHaveOneLimit(int $perSecond, int $taken): void
    {
        $counts = [];
        for ($second = 0; $second < 100; $second++) {
            $now = self::NOW + $second * 1000;
            for ($request = 0; $request < $perSecond; $request++) {
                $counts[] = $this->limits->take('a', 60, 4, $now + 15_000) === 0;
                $counts[] = $this->limits->take('a', 60, 4, $now) === 0;
            }
        }
        self::assertCount($taken, array_filter($counts));
    }

    /** @return iterable<array{int, int}> requests of each host in a second, and how many get one */
    public static function perSecond(): iterable
    {
        yield 'as many as come in' => [2, 400];
        yield 'more' => [4, 60 + 99 * 4];
    }

    public function testARowIsForgottenWhetherItIsOldOrOfAClockThatWasAhead(): void
    {
        foreach ([-3, -1, 1, 3] as $hours) {
            $this->limits->take("$hours", 1, 1, self::NOW + $hours * self::HOUR_MS);
        }
        for ($i = 0; $i < 5000; $i++) { // by chance, one of 200 requests looks
            $this->limits->take('a', 1, 1, self::NOW);
        }
        $names = $this->pdo->query('SELECT name FROM cardseal_limits ORDER BY name');
        self::assertSame(['-1', '1', 'a'], $names->fetchAll(\PDO::FETCH_COLUMN));
    }
}
