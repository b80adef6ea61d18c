import { quoteForShell, quoteForWindows } from '../../../contract/clients/quote-words.ts'
import type { ClientSetup, RenderClient } from './client-setup.ts'

/** A line of `.bazelrc`, for this host alone: Bazel would run the helper for every other one, too. */
export const renderBazel: RenderClient = ({ baseUrl, wrapper, timeoutSec, intervalSec }) => ({
  text: [
    `common ${quoteForBazelrc(`--credential_helper=${new URL(baseUrl).hostname}=${wrapper}`)}`,
    `common --credential_helper_timeout=${timeoutSec}s`,
    `common --credential_helper_cache_duration=${intervalSec}s`,
    '',
  ].join('\n'),
  next: ['append this to the .bazelrc of the workspace, or to the one in the home directory'],
})

/** The script that Bazel starts, because it passes no options: it adds them, and passes on the argument of the protocol. */
export function renderWrapper({ command, args, system }: ClientSetup): string {
  if (system === 'windows') return `@${quoteForWindows([command, ...args])} %*\r\n`
  return `#!/bin/sh\nexec ${quoteForShell([command, ...args])} "$@"\n`
}

/** In `.bazelrc` a backslash escapes the next character, between quotes as well (`blaze_util::Tokenize` of bazelbuild/bazel). */
function quoteForBazelrc(word: string): string {
  return /^[\w@%+:,.=/-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`
}
