import type { ConfigDocument } from '../../config/document.ts'
import { parseDocument } from '../../config/read/read-document.ts'
import { renderNested } from '../../config/render/shapes.ts'
import { servedDocumentRules } from '../../contract/served-document.ts'
import { toSha256 } from '../../runtime/digest.ts'
import type { DocumentAnswer, NoDocument } from '../session/ask-server.ts'
import type { Asked, DocumentServer } from '../session/served-source.ts'
import { changeDocument, type DocumentValues, type ServerStatus } from './scenario.ts'

/** Creates a server that a scenario can change. A real server receives real requests, with the client's entity tag. */
export function createStagedServer(settings: StagedServerSettings): DocumentServer {
  const { server = createSimulatedServer(settings), conditions } = settings
  let last: DocumentAnswer | undefined
  let given: string | undefined
  return {
    ...(server.isDeliveryTrusted && { isDeliveryTrusted: true }),
    forget: () => {
      given = undefined
      server.forget()
    },
    ask: async (cause) => {
      const obstacle = describeObstacle(conditions)
      if (obstacle) return { answer: obstacle, headerNames: [] }
      const asked = await server.ask(cause)
      if (asked.answer.outcome === 'document') last = asked.answer
      else if (asked.answer.outcome !== 'unchanged') return asked
      const answer = last && toSimulated(last, settings, Date.now())
      if (!answer || (asked.answer.outcome === 'unchanged' && answer.digest === given)) return asked
      given = answer.digest
      return { ...asked, answer }
    },
  }
}

/** The configuration server of a simulated client. */
interface StagedServerSettings {
  /** A real server; if absent, a simulated one serves the document of the scenario. */
  readonly server?: DocumentServer
  /** Whether the server can be reached, and the status of its answers instead of a document. */
  readonly conditions: { readonly network: 'up' | 'down'; readonly server: 'up' | 'down' | ServerStatus }
  /** The document of the simulated server. */
  readonly observeDocument: () => ConfigDocument
  /** The changes that the scenario makes to the answers of a real server. */
  readonly observeChanges: () => DocumentValues
  /** The simulated time, in epoch milliseconds. */
  readonly now: () => number
}

/** Creates a server that gives everybody the document of the scenario, and answers 304 if it has not changed. */
function createSimulatedServer({ observeDocument }: StagedServerSettings): DocumentServer {
  let held: string | undefined
  return {
    forget: () => {
      held = undefined
    },
    ask: async (): Promise<Asked> => {
      const document = observeDocument()
      const { expiresAt: _, ...meaning } = document
      const digest = toSha256(JSON.stringify(meaning))
      const isHeld = held === digest
      held = digest
      if (isHeld) return { answer: { outcome: 'unchanged', status: 304 }, headerNames: [] }
      const result = parseDocument(Buffer.from(renderNested(document)))
      const facts = { etag: `"${digest}"`, digest, enforcementHours: servedDocumentRules.enforcementHours.default }
      return { answer: { outcome: 'document', status: 200, document, result, ...facts }, headerNames: [] }
    },
  }
}

function describeObstacle({ network, server }: StagedServerSettings['conditions']): NoDocument | undefined {
  const hint = 'wait'
  if (network === 'down' || server === 'down')
    return { outcome: 'failed', reason: 'unreachable', message: 'the configuration server cannot be reached', hint }
  if (server === 'up') return undefined
  const message = `the configuration server answers HTTP ${server}`
  if (server === 503) return { outcome: 'failed', reason: 'status', status: server, message, hint }
  return { outcome: 'refused', reason: server === 401 ? 'unauthorized' : 'forbidden', status: server, message, hint }
}

/**
 * Applies the changes of the scenario to an answer. Its remaining life in simulated time equals that in real time.
 * @param realNow The real time, in milliseconds since the epoch.
 */
function toSimulated(
  answer: DocumentAnswer,
  { server, observeChanges, now }: StagedServerSettings,
  realNow: number,
): DocumentAnswer {
  if (!server) return answer
  const { expiresAt } = answer.document
  const document = {
    ...answer.document,
    ...(expiresAt !== undefined && { expiresAt: now() + (expiresAt - realNow) }),
  }
  const changes = observeChanges()
  const changed = Object.keys(changes).length === 0 ? document : changeDocument(document, changes, now())
  if (changed === document || typeof changed === 'string') return { ...answer, document } // planDocuments has checked the changes
  return { ...answer, document: changed, digest: toSha256(`${answer.digest}${JSON.stringify(changes)}`) }
}
