import { Deadline } from '../../deadline.ts'
import { endProcess, findProcessId, type Host } from '../../host.ts'
import { createDestinations } from './create-destinations.ts'
import { sendSpool } from './send-spool.ts'
import { orderVariable, parseOrder, type SenderOrder } from './sender-order.ts'
import { toResource } from './to-resource.ts'

/** In seconds, for keeping what was not taken, and noting why, when the time for sending is over. */
const graceSec = 1

/**
 * The outermost line of the process that sends outcomes. Nobody waits for it or reads it: it prints nothing, and ends in time,
 * whatever the network and the disk do.
 */
export async function runSender(host: Host): Promise<void> {
  const order = parseOrder(host.env[orderVariable])
  if (order) await send(order, host).catch(() => undefined)
  endProcess(0, 'abandoned')
}

async function send(order: SenderOrder, host: Host): Promise<void> {
  const { directory, seconds, resource, version } = order
  const { clock } = host
  const words = `the ${Math.round(seconds)} s that the call had left for sending`
  const limit = { words, hint: 'find out why it is slow, if the next sending fails too' }
  const within = new Deadline({ seconds, ...limit }, clock)
  const whole = new Deadline({ seconds: seconds + graceSec, ...limit }, clock)
  await whole.during('network', 'sending outcomes', async () => {
    const destinations = createDestinations(order, host)
    await sendSpool({
      ...{ directory, destinations, within, clock },
      resource: toResource(resource, version, host),
      process: findProcessId(),
    })
  })
}
