import { type AwsOperation, AwsRefusal, type AwsWorld, parseJsonParameters } from '../aws-operation.ts'
import { renderPage } from '../pages/page-answer.ts'
import type { PersonPages } from '../pages/person-pages.ts'
import { invalid, type SsoClient, type SsoClients } from './sso-clients.ts'

interface Device {
  client: SsoClient
  userCode: string
  startUrl: string
  expiresAt: Date
  state: 'pending' | 'allowed' | 'denied'
  askedAt?: Date
}

export interface SsoDevices {
  operations: AwsOperation[]
  /** The portal of the sign-in that a person has allowed. @throws {AwsRefusal} until then, and when it is over. */
  redeem(members: Record<string, string>, client: SsoClient): string
  /** Every later device is allowed before anybody asks. */
  allowAtOnce(): void
}

/** Seconds. AWS gives ten minutes. */
const lifeSec = 600

interface DeviceServices {
  world: AwsWorld
  origin: string
  clients: SsoClients
  pages: PersonPages
  isPortal(startUrl: string): boolean
  /** Seconds between two polls. */
  interval(): number
}

/** Creates device authorization (RFC 8628): the codes, the page that takes them, and who polls too fast. */
export function createSsoDevices({ world, origin, clients, pages, isPortal, interval }: DeviceServices): SsoDevices {
  const devices = new Map<string, Device>()
  let isAllowed = false
  const start: AwsOperation = {
    name: 'StartDeviceAuthorization',
    protocol: 'oidc',
    accepts: ({ method, url }) => method === 'POST' && url.pathname === '/device_authorization',
    parameters: ({ body }) => parseJsonParameters(body),
    answer: (_, { clientId, clientSecret, startUrl = '', ...unknown }) => {
      if (Object.keys(unknown).length > 0) throw invalid(`unknown member ${Object.keys(unknown)}`)
      const client = clients.require(clientId, clientSecret)
      if (!isPortal(startUrl)) throw invalid('startUrl')
      const number = String(devices.size + 1).padStart(4, '0')
      const userCode = `WXYZ-${number}`
      const expiresAt = new Date(world.now().getTime() + lifeSec * 1000)
      const state = isAllowed ? 'allowed' : 'pending'
      devices.set(`canary-device-${number}`, { client, userCode, startUrl, expiresAt, state })
      return {
        deviceCode: `canary-device-${number}`,
        userCode,
        verificationUri: `${origin}/device`,
        verificationUriComplete: `${origin}/device?user_code=${userCode}`,
        expiresIn: lifeSec,
        interval: interval(),
      }
    },
  }
  const page = (path: `/${string}`, answer: AwsOperation['answer']): AwsOperation => ({
    name: `GET ${path}`,
    protocol: 'page',
    accepts: ({ method, url }) => method === 'GET' && url.pathname === path,
    parameters: ({ url }) => Object.fromEntries(url.searchParams),
    answer,
  })
  const ask = page('/device', ({ url }) => {
    const device = [...devices.values()].find(({ userCode }) => userCode === url.searchParams.get('user_code'))
    if (!device) throw invalid('no such code')
    const end = (state: Device['state']) => () => {
      device.state = state
      return `${origin}/device/done`
    }
    return pages.ask({ text: `Confirm the code ${device.userCode}?`, allow: end('allowed'), deny: end('denied') })
  })
  return {
    operations: [start, ask, page('/device/done', () => renderPage('Request approved or denied', ''))],
    allowAtOnce: () => {
      isAllowed = true
    },
    redeem: ({ deviceCode = '' }, client) => {
      const device = devices.get(deviceCode)
      if (device?.client !== client) throw new AwsRefusal('InvalidGrantException', 400, 'Invalid device code')
      const now = world.now()
      const isTooFast = device.askedAt && now.getTime() - device.askedAt.getTime() < interval() * 1000 - 50
      device.askedAt = now
      if (device.expiresAt <= now) throw new AwsRefusal('ExpiredTokenException', 400, 'Device code has expired')
      if (isTooFast) throw new AwsRefusal('SlowDownException', 400, 'Polling too fast')
      if (device.state === 'pending') throw new AwsRefusal('AuthorizationPendingException', 400, 'Not yet')
      devices.delete(deviceCode)
      if (device.state === 'denied') throw new AwsRefusal('AccessDeniedException', 400, 'Denied')
      return device.startUrl
    },
  }
}
