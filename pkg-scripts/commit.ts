import { spawnSync } from 'node:child_process'
import { root } from './tree.ts'

/** The commit that is built, with `+` behind it where the tree differs from it; `unknown` without git. */
export function readCommit(): string {
  const commit = git('rev-parse', '--short=12', 'HEAD')
  if (!commit) return 'unknown'
  return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}+`
}

/** When the commit was made: the time of everything that is published. `SOURCE_DATE_EPOCH` is used first. */
export function readCommitTime(): Date {
  return new Date(Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? 0) * 1000)
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
