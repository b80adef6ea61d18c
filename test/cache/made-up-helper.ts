import { readFile } from 'node:fs/promises'
import { defineHelper } from '../../src/helper/define-helper.ts'
import { main } from '../../src/helper/run/run-helper.ts'
import { Secret } from '../../src/runtime/secret.ts'

/** A program of its own: a helper that mints at once, unless it is told to read a file first. */
await main(
  'made-up',
  defineHelper({
    summary: 'print a made-up token',
    options: {},
    facts: [],
    plan: async () => ({ inputs: {}, steps: [] }),
    mint: async (host) => {
      const { READ_FIRST, LIFE_SEC } = host.env
      if (READ_FIRST) await readFile(READ_FIRST)
      const expiresAt = LIFE_SEC ? new Date(host.clock.now() + Number(LIFE_SEC) * 1000) : undefined
      return { token: new Secret(`canary-${host.clock.now()}`), expiresAt, facts: {} }
    },
  }),
)
