import type { Run } from '../runs/run.ts'

/** What to do about a run that did not end in time: `hint`, unless only a process that it left behind kept its output open. */
export function chooseWaitHint(run: Run | undefined, hint: string): string {
  const isLeftOpen = run?.ended.how === 'timeout' && run.ended.process === 'exited'
  return isLeftOpen
    ? 'start what it leaves behind with stdout and stderr of its own, such as COMMAND >/dev/null 2>&1 &'
    : hint
}
