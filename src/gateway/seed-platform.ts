import { uploadsDirectory } from '../contract/http-api.ts'
import type { Secret } from '../runtime/secret.ts'
import { attestationLifeSec, issueToken } from './credentials/access-tokens.ts'
import { createKey, type KeyPlan } from './credentials/create-key.ts'
import { addMember, createIdentity } from './credentials/platform-identities.ts'
import { addResource } from './store/resources.ts'
import type { State } from './store/state.ts'
import { createWorkspace, requireDefaultWorkspace } from './store/workspaces.ts'

/** The contents of a newly seeded platform. Its secrets are returned here and never again. */
export interface Seed {
  readonly organization: string
  readonly workspaces: { readonly default: string; readonly team: string }
  readonly identities: { readonly user: string; readonly serviceAccount: string }
  readonly keys: Readonly<
    Record<'personal' | 'unscoped' | 'serviceAccount' | 'workspace' | 'administrative', SeededKey>
  >
  readonly attestationToken: Secret
  /** A session in the team's workspace, with a resource of each kind. */
  readonly session: string
  /** An uploaded file that is not yet in the session. */
  readonly file: string
  readonly resources: Readonly<Record<'file' | 'repository' | 'memoryStore', string>>
}

/** A key that was seeded. Its secret is shown once, because the state has only a digest. */
export interface SeededKey {
  readonly id: string
  readonly secret: Secret
}

/** Fills a platform with one record of each kind that the API cannot create. */
export function seedPlatform(state: State): Seed {
  const defaultWorkspace = requireDefaultWorkspace(state).id
  const team = createWorkspace(state, 'Team').id
  const user = createIdentity(state, 'user', 'Ada').id
  const serviceAccount = createIdentity(state, 'service_account', 'Build').id
  addMember(state, user, defaultWorkspace)
  addMember(state, user, team)
  addMember(state, serviceAccount, team)
  const session = createSession(state, team)
  return {
    organization: state.organizationId,
    workspaces: { default: defaultWorkspace, team },
    identities: { user, serviceAccount },
    keys: {
      personal: createSeededKey(state, { kind: 'personal', name: 'Ada, team', ownerId: user, workspaceId: team }),
      unscoped: createSeededKey(state, { kind: 'personal', name: 'Ada', ownerId: user }),
      serviceAccount: createSeededKey(state, { kind: 'service_account', name: 'Build', ownerId: serviceAccount }),
      workspace: createSeededKey(state, { kind: 'workspace', name: 'Team, legacy', workspaceId: team }),
      administrative: createSeededKey(state, { kind: 'administrative', name: 'Administration' }),
    },
    attestationToken: issueToken(state, {
      method: 'attestation',
      ownerId: null,
      workspaceId: team,
      lifeSec: attestationLifeSec,
    }),
    session,
    file: createFile(state, team),
    resources: addOneOfEach(state, session, team),
  }
}

function createSeededKey(state: State, plan: Omit<KeyPlan, 'expiration'>): SeededKey {
  const { key, secret } = createKey(state, { ...plan, expiration: 'never' })
  return { id: key.id, secret }
}

function addOneOfEach(state: State, session: string, workspaceId: string): Seed['resources'] {
  const file_id = createFile(state, workspaceId)
  return {
    file: addResource(state, session, { type: 'file', file_id, mount_path: `${uploadsDirectory}/${file_id}` }).id,
    repository: addResource(state, session, {
      type: 'git_repository',
      mount_path: '/mnt/session/repository',
      url: 'https://git.example.com/team/repository.git',
      checkout: { type: 'branch', name: 'main' },
    }).id,
    memoryStore: addResource(state, session, {
      type: 'memory_store',
      memory_store_id: state.createId('memoryStore'),
      access: 'read_write',
      mount_path: '/mnt/session/memory',
    }).id,
  }
}

/** Creates a session; its ID. The API has no operation for it. */
export function createSession(state: State, workspaceId: string): string {
  const id = state.createId('session')
  state.sql.run`INSERT INTO sessions VALUES (${id}, ${workspaceId})`
  return id
}

/** Creates an uploaded file without content; its ID. The API has no operation for it. */
export function createFile(state: State, workspaceId: string): string {
  const id = state.createId('file')
  state.sql.run`INSERT INTO files VALUES (${id}, ${workspaceId})`
  return id
}
