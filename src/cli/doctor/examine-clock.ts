import { describeWrongClock } from '../../client/doctor/examine-credential.ts'
import { describeClock } from '../../client/doctor/explain-answer.ts'
import type { Part } from '../../client/examination.ts'
import { attemptUnlessFailed } from '../../runtime/failure.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import type { Cli } from '../cli.ts'
import { readNetwork } from '../network.ts'

/**
 * Compares this machine's clock with those of the credential's servers, unless a turn has already shown theirs. Empty if the clock agrees
 * with every server that answers.
 * @param outcome Whether a wrong clock explains a missing credential.
 */
export async function examineClock({ host }: Cli, urls: readonly string[], outcome: 'bad' | 'note'): Promise<Part[]> {
  const found = await Promise.all(
    urls.map(async (url) => {
      const headers = await fetchHeaders(url, () => readNetwork(host))
      return headers && describeClock({ headers }, host.clock.now(), `that of ${new URL(url).host}`)
    }),
  )
  const words = found.find((text) => text !== undefined)
  return words === undefined ? [] : [describeWrongClock(words, outcome)]
}

/** Fetches the headers of the answer to a request without content; `undefined` if no server answers. */
export async function fetchHeaders(
  url: string,
  readSettings: () => Promise<NetworkSettings>,
): Promise<Headers | undefined> {
  return attemptUnlessFailed(async () => {
    const { headers, body } = await createStreamFetch({ network: await readSettings() })(url, { method: 'GET' })
    await body?.cancel()
    return headers
  })
}
