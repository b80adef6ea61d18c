import type { HelperCommands } from '../../../helper/define-helper.ts'
import type { CommonOptions } from '../../../helper/options/table.ts'
import type { ApiKeyOptions } from '../key/options.ts'
import type { ApiKeyPlan } from '../key/plan.ts'

/** How a person has a key kept and forgotten. Loaded on use, because a call does without. */
export const apiKeyCommands: HelperCommands<ApiKeyOptions & CommonOptions, ApiKeyPlan> = {
  store: {
    summary: 'keeps a key that you type or pipe into it',
    longestSec: 600,
    async run(host, options, call, plan) {
      const { runStore } = await import('./store.ts')
      await runStore(host, options, call, plan)
    },
  },
  forget: {
    summary: 'removes the key from where it is kept',
    longestSec: 60,
    async run(host, _options, call, plan) {
      const { runForget } = await import('./forget.ts')
      await runForget(host, call, plan)
    },
  },
}
