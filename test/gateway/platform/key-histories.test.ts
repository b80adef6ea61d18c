import { assert as check, commands, constantFrom, type ICommand, integer, modelRun, property } from 'fast-check'
import { expect, test } from 'vitest'
import { authenticate } from '../../../src/gateway/platform/authenticate.ts'
import { createKey } from '../../../src/gateway/platform/create-key.ts'
import {
  addMember,
  createIdentity,
  removeIdentity,
  removeMember,
  restoreIdentity,
} from '../../../src/gateway/platform/identities.ts'
import { parseExpiration } from '../../../src/gateway/platform/key-expiration.ts'
import { changeKey, resolveKey } from '../../../src/gateway/platform/keys.ts'
import { openState, type State } from '../../../src/gateway/platform/state.ts'
import { archiveWorkspace, createWorkspace } from '../../../src/gateway/platform/workspaces.ts'
import type { Secret } from '../../../src/runtime/secret.ts'

/** What the documents say of one key, written down a second time and in another way than the table. */
interface Model {
  readonly kind: 'personal' | 'service_account' | 'workspace'
  status: 'active' | 'inactive' | 'archived'
  leftSec: number
  owner: 'here' | 'gone'
  member: boolean
  workspace: 'open' | 'archived'
}

interface Real {
  readonly state: State
  readonly id: string
  readonly secret: Secret
  readonly ownerId: string
  readonly workspaceId: string
  advance(seconds: number): void
}

const works = (model: Model) =>
  model.status === 'active' &&
  model.leftSec > 0 &&
  model.workspace === 'open' &&
  (model.kind === 'workspace' || (model.owner === 'here' && model.member))

/** A step of a history; afterwards status and use are as the model says. */
class Step implements ICommand<Model, Real, void> {
  readonly #name: string
  readonly #happen: (model: Model, real: Real) => void

  constructor(name: string, happen: (model: Model, real: Real) => void) {
    this.#name = name
    this.#happen = happen
  }

  check(): boolean {
    return true
  }

  run(model: Model, real: Real): void {
    this.#happen(model, real)
    expect(resolveKey(real.state, real.id).status).toBe(model.status)
    expect(accepts(real)).toBe(works(model))
  }

  toString(): string {
    return this.#name
  }
}

function accepts({ state, secret }: Real): boolean {
  try {
    authenticate(state, secret.reveal())
    return true
  } catch {
    return false // every refusal of a known key is a 401, which other tests look at
  }
}

/** A move of the console: it takes place if the model lets it, and is refused otherwise. */
function moveStep(trigger: 'disable' | 'enable' | 'delete'): Step {
  return new Step(trigger, (model, { state, id }) => {
    const isOver = model.leftSec <= 0
    const allowed = {
      disable: model.status === 'active' && !isOver,
      enable: model.status === 'inactive' && !isOver,
      delete: model.status !== 'archived',
    }[trigger]
    if (!allowed) return expect(() => changeKey(state, id, trigger)).toThrow('there is no')
    model.status = ({ disable: 'inactive', enable: 'active', delete: 'archived' } as const)[trigger]
    changeKey(state, id, trigger)
  })
}

const steps = [
  ...(['disable', 'enable', 'delete'] as const).map(moveStep),
  new Step('owner removed', (model, { state, ownerId }) => {
    model.owner = 'gone'
    if (model.kind === 'personal') model.status = 'archived'
    removeIdentity(state, ownerId)
  }),
  new Step('owner invited again', (model, { state, ownerId }) => {
    if (model.kind === 'service_account') return expect(() => restoreIdentity(state, ownerId)).toThrow()
    model.owner = 'here'
    restoreIdentity(state, ownerId)
  }),
  new Step('removed from the workspace', (model, { state, ownerId, workspaceId }) => {
    model.member = false
    removeMember(state, ownerId, workspaceId)
  }),
  new Step('added to the workspace', (model, { state, ownerId, workspaceId }) => {
    model.member = true
    addMember(state, ownerId, workspaceId)
  }),
  new Step('workspace archived', (model, { state, workspaceId }) => {
    model.workspace = 'archived'
    archiveWorkspace(state, workspaceId)
  }),
]

const waiting = integer({ min: 1, max: 3 * 3600 }).map(
  (seconds) =>
    new Step(`${seconds} s pass`, (model, { advance }) => {
      model.leftSec -= seconds
      advance(seconds)
    }),
)

function start(kind: Model['kind'], life: '3h' | 'never') {
  let now = Date.UTC(2026, 0, 15)
  const state = openState({ now: () => now })
  const ownerId = createIdentity(state, kind === 'service_account' ? 'service_account' : 'user', 'Bo').id
  const workspaceId = createWorkspace(state, 'Team').id
  addMember(state, ownerId, workspaceId)
  const owner = kind === 'workspace' ? undefined : ownerId
  const { key, secret } = createKey(state, {
    kind,
    name: 'k',
    ownerId: owner,
    workspaceId,
    expiration: parseExpiration(life),
  })
  const advance = (seconds: number) => {
    now += seconds * 1000
  }
  const leftSec = life === 'never' ? Number.POSITIVE_INFINITY : 3 * 3600
  const model: Model = { kind, status: 'active', leftSec, owner: 'here', member: true, workspace: 'open' }
  return { model, real: { state, id: key.id, secret, ownerId, workspaceId, advance } }
}

test('whatever happens to a key, its status and whether it works are as the tables say', () => {
  const kinds = constantFrom<Model['kind']>('personal', 'service_account', 'workspace')
  const histories = commands([constantFrom(...steps), waiting], { maxCommands: 30 })
  check(
    property(kinds, constantFrom('3h' as const, 'never' as const), histories, (kind, life, history) => {
      modelRun(() => start(kind, life), history)
    }),
    { numRuns: 300 },
  )
})
