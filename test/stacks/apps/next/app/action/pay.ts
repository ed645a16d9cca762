'use server';

import { authorize } from '../authorize';

export async function pay(_outcome: string, data: FormData): Promise<string> {
  return authorize(data);
}
