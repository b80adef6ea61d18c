import { Hono } from 'hono'
import type { FetchImplementation } from 'jose'
import { apiPaths } from '../contract/http-api.ts'
import { answerExchange, largestExchange } from './federation/token-exchange.ts'
import { createKeyFinder } from './federation/verify-assertion.ts'
import { answerRefusal } from './http/answer-refusal.ts'
import { areaRules } from './http/areas.ts'
import type { Fault } from './http/faults.ts'
import { injectFaults } from './http/inject-faults.ts'
import { createBodyLimit } from './http/limit-body.ts'
import type { PlatformEnv } from './http/platform-env.ts'
import { type PlatformRecord, recordRequests } from './http/record-requests.ts'
import { Refusal } from './http/refusal.ts'
import { refuseBrowsers } from './http/refuse-browsers.ts'
import { refuseRepeatedHeaders } from './http/request-headers.ts'
import { administrationOperations } from './operations/administration.ts'
import { createAuthentication } from './operations/authenticate-call.ts'
import { eventOperations } from './operations/events.ts'
import { messageOperations } from './operations/messages.ts'
import { resourceOperations } from './operations/resources.ts'
import { renderServed, type ServedDocument } from './served-document.ts'
import type { State } from './store/state.ts'

/** What the application of the platform is made of. */
export interface PlatformParts {
  readonly state: State
  readonly faults: readonly Fault[]
  /** Beta features that are accepted besides those of the specification. */
  readonly allowedBetas: readonly string[]
  readonly served: () => ServedDocument
  /** Fetches the keys of issuers. */
  readonly fetch: FetchImplementation
  readonly onRecord: (record: PlatformRecord) => void
}

/** Every operation that requires a credential. */
const operations = [...resourceOperations, ...eventOperations, ...messageOperations, ...administrationOperations]

/** The platform's HTTP API as an application without a server. */
export function createPlatformApp(parts: PlatformParts): Hono<PlatformEnv> {
  const { state, faults, served, fetch, onRecord } = parts
  const app = new Hono<PlatformEnv>()
  const authenticateCall = createAuthentication(parts)
  const keysOf = createKeyFinder(fetch)
  app.use(recordRequests(state, onRecord), refuseBrowsers, refuseRepeatedHeaders, injectFaults(faults))
  for (const operation of operations) {
    const { method, path, area, answer } = operation
    app.on(method, path, authenticateCall(operation), createBodyLimit(areaRules[area].largestBody), (c) =>
      answer(c.get('call')),
    )
  }
  app.post(apiPaths.tokenExchange, createBodyLimit(largestExchange), (c) => answerExchange(c, { state, keysOf }))
  app.get('/configuration', (c) => c.json(renderServed(served(), state.now())))
  refuseOtherMethods(app)
  app.notFound(() => {
    throw new Refusal(404, 'there is no such route')
  })
  app.onError(answerRefusal)
  return app
}

/** Answers 405 to other methods on known paths. It must be called after every route is registered. */
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
