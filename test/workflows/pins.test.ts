import { expect, test } from 'vitest'
import { type Workflow, workflows } from './read-workflows.ts'

/** The full commit, which nobody can move, and the version for whoever reads it or updates it. */
const pin = /^(?<action>[\w.-]+\/[\w./-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/

const uses = workflows.flatMap(({ path, text }) =>
  [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, used = '']) => ({ path, used })),
)

test('every action is pinned by its full commit, with its version in a comment', () => {
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter(({ used }) => !pin.test(used))).toEqual([])
})

test('an action has the same pin in every workflow', () => {
  const pinsOf = Map.groupBy(uses, ({ used }) => used.split('@')[0])
  const several = [...pinsOf].filter(([, pins]) => new Set(pins.map(({ used }) => used)).size > 1)
  expect(several).toEqual([])
})

test('a workflow can read the sources, and more only where a job says so', () => {
  expect(workflows.map(({ content }) => content.permissions)).toEqual(workflows.map(() => ({ contents: 'read' })))
})

test('no job leaves the token of its checkout to the steps that follow', () => {
  expect(workflows.flatMap(listCheckouts).filter((checkout) => checkout['persist-credentials'] !== false)).toEqual([])
})

function listCheckouts({ path, content }: Workflow) {
  return Object.entries(content.jobs).flatMap(([job, { steps = [] }]) =>
    steps
      .filter(({ uses }) => uses?.startsWith('actions/checkout@'))
      .map((step) => ({ path, job, ...(step.with as { 'persist-credentials'?: boolean } | undefined) })),
  )
}
