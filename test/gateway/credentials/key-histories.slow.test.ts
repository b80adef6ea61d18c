import { assert as check, commands, constantFrom, type ICommand, integer, modelRun, property } from 'fast-check'
import { expect, test } from 'vitest'
import { changeKey, requireKey, writeMaximumLife } from '../../../src/gateway/credentials/api-keys.ts'
import { authenticate, selectWorkspace } from '../../../src/gateway/credentials/authenticate.ts'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { type KeyKind, keyKinds, parseExpiration } from '../../../src/gateway/credentials/key-life.ts'
import {
  addMember,
  createIdentity,
  removeIdentity,
  removeMember,
  restoreIdentity,
} from '../../../src/gateway/credentials/platform-identities.ts'
import { Refusal } from '../../../src/gateway/http/requests.ts'
import { openState, type State } from '../../../src/gateway/store/state.ts'
import { archiveWorkspace, createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { Secret } from '../../../src/runtime/secret.ts'

/** The specification's rules about one key, written a second time and differently from the table. */
interface Model {
  readonly kind: KeyKind
  readonly scope: 'one workspace' | 'any workspace'
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
  readonly expiresAt: number | null
  advance(seconds: number): void
}

/** Returns the answer to a request that names the workspace: 200, or the specified error. */
function expectedStatus({ kind, scope, status, leftSec, owner, member, workspace }: Model): 200 | 401 | 404 {
  if (status !== 'active' || leftSec <= 0) return 401
  if (kind === 'administrative') return 200
  if (kind === 'workspace') return workspace === 'open' ? 200 : 401
  if (owner === 'gone') return 401
  if (workspace === 'open' && member) return 200
  return scope === 'one workspace' ? 401 : 404
}

/** A step of a history; afterwards status and use are as the model says, and the expiration is that of the creation. */
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
    const { status, expiresAt } = requireKey(real.state, real.id)
    expect([status, expiresAt]).toEqual([model.status, real.expiresAt])
    expect(answer(real)).toBe(expectedStatus(model))
  }

  toString(): string {
    return this.#name
  }
}

function answer({ state, secret, workspaceId }: Real): number {
  try {
    selectWorkspace(state, authenticate(state, secret.reveal()), workspaceId)
    return 200
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.status
    throw thrown
  }
}

/** Returns an action in the console: it succeeds if the model permits it, and is refused otherwise. */
function moveStep(trigger: 'disable' | 'enable' | 'delete'): Step {
  return new Step(trigger, (model, { state, id }) => {
    const isOver = model.leftSec <= 0
    const allowed = {
      disable: model.status === 'active' && !isOver,
      enable: model.status === 'inactive' && !isOver,
      delete: model.status !== 'archived',
    }[trigger]
    if (!allowed) return expect(() => changeKey(state, id, trigger)).toThrow(refusalOf(model, trigger))
    model.status = ({ disable: 'inactive', enable: 'active', delete: 'archived' } as const)[trigger]
    changeKey(state, id, trigger)
  })
}

/** Returns the refusal of an action that is not possible, and what to do instead. */
function refusalOf({ status, leftSec }: Model, trigger: string): HelperError {
  const found = status !== 'archived' && leftSec <= 0 ? 'expired' : status
  const hint = {
    active: 'leave it: it works',
    inactive: 'enable it, or delete it',
    expired: 'delete it and create another; see: gatepass gateway keys create --help',
    archived: 'create another; see: gatepass gateway keys create --help',
  }[found]
  return new HelperError('refused', `the key is ${found}: ${trigger} is not possible`, hint)
}

const tooLong = new HelperError(
  'refused',
  'the organization allows keys of at most 3600 s',
  'choose a shorter expiration, or raise the maximum; see: gatepass gateway keys maximum --help',
)

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
  new Step('a maximum of an hour is set, for new keys', (_, { state }) => {
    writeMaximumLife(state, parseExpiration('1h'))
    for (const life of ['never', '90m']) expect(() => makeAnother(state, life)).toThrow(tooLong)
    expect(makeAnother(state, '1h').key.status).toBe('active')
  }),
]

function makeAnother(state: State, life: string) {
  return createKey(state, { kind: 'administrative', name: 'another', expiration: parseExpiration(life) })
}

const waiting = integer({ min: 1, max: 3 * 3600 }).map(
  (seconds) =>
    new Step(`${seconds} s pass`, (model, { advance }) => {
      model.leftSec -= seconds
      advance(seconds)
    }),
)

/** Presets, another duration and none, in seconds. */
const lives = { '3h': 3 * 3600, '1d': 86_400, '100m': 6000, never: Number.POSITIVE_INFINITY } as const

function start(kind: KeyKind, scope: Model['scope'], life: keyof typeof lives) {
  let now = Date.UTC(2026, 0, 15)
  const state = openState({ now: () => now })
  const ownerId = createIdentity(state, kind === 'service_account' ? 'service_account' : 'user', 'Bo').id
  const workspaceId = createWorkspace(state, 'Team').id
  addMember(state, ownerId, workspaceId)
  const isOwned = kind === 'personal' || kind === 'service_account'
  const isScoped = scope === 'one workspace' && kind !== 'administrative'
  const { key, secret } = createKey(state, {
    kind,
    name: 'k',
    ownerId: isOwned ? ownerId : undefined,
    workspaceId: isScoped || kind === 'workspace' ? workspaceId : undefined,
    expiration: parseExpiration(life),
  })
  const advance = (seconds: number) => {
    now += seconds * 1000
  }
  const { id, expiresAt } = key
  const model: Model = {
    kind,
    scope,
    status: 'active',
    leftSec: lives[life],
    owner: 'here',
    member: true,
    workspace: 'open',
  }
  return { model, real: { state, id, secret, ownerId, workspaceId, expiresAt, advance } }
}

test.each(keyKinds)('a %s key has the status and the answers of the tables after any history', (kind) => {
  const scopes = constantFrom<Model['scope']>('one workspace', 'any workspace')
  const choices = constantFrom(...(Object.keys(lives) as (keyof typeof lives)[]))
  const histories = commands([constantFrom(...steps), waiting], { maxCommands: 30 })
  check(
    property(scopes, choices, histories, (scope, life, history) => {
      modelRun(() => start(kind, scope, life), history)
    }),
    { numRuns: 300 },
  )
})
