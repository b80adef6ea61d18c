import { quoteForShell, quoteForWindows } from '../../../contract/clients/quote-words.ts'
import { vendor } from '../../../vendor.ts'
import type { RenderClient } from './client-setup.ts'

/** The settings of a coding agent with `apiKeyHelper`, as JSON. */
export const renderApiKeyHelper: RenderClient = ({ command, args, system, baseUrl, intervalSec }) => {
  const quote = system === 'windows' ? quoteForWindows : quoteForShell
  const settings = {
    apiKeyHelper: quote([command, ...args]),
    env: { [vendor.baseUrlVariable]: baseUrl, [vendor.keyHelperTtlVariable]: String(intervalSec * 1000) },
  }
  return {
    text: `${JSON.stringify(settings, undefined, 2)}\n`,
    next: [
      'merge this into the settings of the agent, which its documentation says where to find',
      `unset ${vendor.apiKeyVariable}, which would be used instead`,
    ],
  }
}
