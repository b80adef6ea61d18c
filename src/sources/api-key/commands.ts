import type { HelperCommands } from '../../helper/define-helper.ts'
import type { CommonOptions } from '../../helper/options/table.ts'
import type { ApiKeyOptions } from './options.ts'
import type { ApiKeyPlan } from './plan.ts'

/** The commands that store a key and remove it. They are loaded on use, because a call does not need them. */
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
