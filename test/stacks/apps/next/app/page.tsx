import Link from 'next/link';

export default function Home() {
  return (
    <nav>
      <Link href="/checkout">native</Link>
      <Link href="/action">action</Link>
    </nav>
  );
}
