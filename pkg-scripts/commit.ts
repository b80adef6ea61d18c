import { spawnSync } from 'node:child_process'
import { root } from './tree.ts'

/** Reads the built commit, followed by `+` if the tree differs from it; `unknown` without git. */
export function readCommit(): string {
  const commit = runGit('rev-parse', '--short=12', 'HEAD')
  if (!commit) return 'unknown'
  return runGit('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}+`
}

/** Reads the time of the commit, which is the time of all published files; `SOURCE_DATE_EPOCH` overrides it. */
export function readCommitTime(): Date {
  return new Date(Number(process.env.SOURCE_DATE_EPOCH ?? runGit('log', '-1', '--format=%ct') ?? 0) * 1000)
}

function runGit(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
