import { Hono } from 'hono'
import type { FetchImplementation } from 'jose'
import { refuseBrowsers } from '../refuse-browsers.ts'
import { administrationOperations } from './administration-operations.ts'
import { admitCall } from './admit-call.ts'
import { answerRefusal } from './answer-refusal.ts'
import { eventOperations } from './event-operations.ts'
import type { Fault } from './faults.ts'
import { injectFaults } from './inject-faults.ts'
import { limitBody } from './limit-body.ts'
import { messageOperations } from './message-operations.ts'
import type { PlatformEnv } from './operation.ts'
import { type PlatformRecord, recordRequests } from './record-requests.ts'
import { Refusal } from './refusal.ts'
import { refuseRepeatedHeaders } from './request-headers.ts'
import { resourceOperations } from './resource-operations.ts'
import { renderServed, type ServedDocument } from './served-document.ts'
import type { State } from './state.ts'
import { exchangeToken } from './token-exchange.ts'
import { createKeyFinder } from './verify-assertion.ts'

export interface PlatformParts {
  readonly state: State
  readonly faults: readonly Fault[]
  readonly served: () => ServedDocument
  /** Fetches the keys of issuers. */
  readonly fetch: FetchImplementation
  readonly onRecord: (record: PlatformRecord) => void
}

/** Every operation that asks for a credential. */
const operations = [...resourceOperations, ...eventOperations, ...messageOperations, ...administrationOperations]

/** The platform's HTTP API. */
export function createPlatformApp({ state, faults, served, fetch, onRecord }: PlatformParts): Hono<PlatformEnv> {
  const app = new Hono<PlatformEnv>()
  const keysOf = createKeyFinder(fetch)
  app.use(recordRequests(state, onRecord), refuseBrowsers, refuseRepeatedHeaders, injectFaults(faults))
  for (const operation of operations) {
    const { method, path, answer } = operation
    app.on(method, path, admitCall(state, operation), limitBody, (c) => answer(c.get('call')))
  }
  app.post('/v1/oauth/token', limitBody, (c) => exchangeToken(c, { state, keysOf }))
  app.get('/configuration', (c) => c.json(renderServed(served(), state.now())))
  refuseOtherMethods(app)
  app.notFound(() => {
    throw new Refusal(404, 'there is no such route')
  })
  app.onError(answerRefusal)
  return app
}

/** To be called when every path is known: whatever is left for one of them is another method. */
function refuseOtherMethods(app: Hono<PlatformEnv>): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL')
  for (const [path, found = []] of Object.entries(Object.groupBy(routes, (route) => route.path))) {
    const allowed = [...new Set(found.map(({ method }) => method))]
    app.all(path, () => {
      throw new Refusal(405, `this path answers ${allowed.join(' and ')} only`, {
        headers: { allow: allowed.join(', ') },
      })
    })
  }
}
