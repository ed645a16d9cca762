/** What the numbers of a run depend on. */
import { cpus, loadavg, release, type } from 'node:os';

export interface Machine {
  cpu: string;
  cores: number;
  system: string;
}

export function describeMachine(): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu!.model,
    cores: cpus().length,
    system: `${type()} ${release()}`,
  };
}

/** How many processes wanted to run in the last minute. */
export const load = () => Math.round(loadavg()[0]! * 100) / 100;
