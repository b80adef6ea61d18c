import { expect, test } from 'vitest'
import { resolveChoices } from '../../../src/cli/simulate/resolve-choices.ts'
import type { ConfigDocument } from '../../../src/config/document.ts'
import type { ComparedChoice } from '../../../src/fleet/scenario/choice-keys.ts'
import { parseFleetScenario } from '../../../src/fleet/scenario/parse-fleet-scenario.ts'
import { readyMadeFleets } from '../../../src/fleet/scenario/ready-made-fleets.ts'

interface Given {
  readonly first?: Partial<ComparedChoice>
  readonly second?: Partial<ComparedChoice>
  readonly document?: { readonly ttlSec?: number }
  readonly flags?: Parameters<typeof resolveChoices>[2]
}

const usual = { ttlSec: 3600, timeoutSec: 60, renewEarly: 25, tokenLifeSec: 7200 }
const late = { ...usual, renewEarly: 0 }
const both = (changes: Partial<ComparedChoice>, first: Partial<ComparedChoice> = {}) =>
  [
    { ...usual, ...changes, ...first },
    { ...late, ...changes },
  ] as const

// The later row of a setting overrides the earlier one.
test.each<[what: string, given: Given, choices: readonly [ComparedChoice, ComparedChoice]]>([
  ['the defaults, without early renewal', {}, [usual, late]],
  ['the scenario', { first: { ttlSec: 900 } }, both({ ttlSec: 900 })],
  ['the document', { first: { ttlSec: 900 }, document: { ttlSec: 1200 } }, both({ ttlSec: 1200 })],
  ['the defaults of a document that leaves them out', { first: { ttlSec: 900 }, document: {} }, [usual, late]],
  [
    'the flags',
    { first: { renewEarly: 10 }, document: { ttlSec: 1200 }, flags: { ttl: 600, renewEarly: 50, tokenLife: 1800 } },
    both({ ttlSec: 600, tokenLifeSec: 1800 }, { renewEarly: 50 }),
  ],
  ['early renewal against a first without it', { flags: { renewEarly: 0 } }, [late, usual]],
  ['the second of the scenario', { second: { ttlSec: 300 } }, [usual, { ...usual, ttlSec: 300 }]],
  [
    '--against',
    { second: { ttlSec: 300, timeoutSec: 30 }, flags: { against: { ttlSec: 600 } } },
    [usual, { ...usual, ttlSec: 600, timeoutSec: 30 }],
  ],
])('the choices that are compared come from %s', (_, { first = {}, second, document, flags = {} }, choices) => {
  const parsed = parseFleetScenario(`${readyMadeFleets['office-day']}tokenLife: 2h`)
  const scenario = parsed.ok && { ...parsed.scenario, choices: second ? [first, second] : [first] }
  expect(scenario && resolveChoices(scenario, document && toDocument(document), flags)).toEqual(choices)
})

function toDocument(settings: { readonly ttlSec?: number }): ConfigDocument {
  const credential = { kind: 'helper-script', command: '/bin/helper', ...settings } as const
  return { inference: { provider: 'gateway', baseUrl: 'https://gateway.example', credential } }
}
