// Joins the rows of all clients that run helpers; `client.ts` declares a row.

import { agentHelpers } from './clients/agent-settings.ts'
import { agents } from './clients/agents.ts'
import { desktopHelpers } from './clients/desktop.ts'
import { tools } from './clients/tools.ts'

/** Every client that runs helpers, by the name that `--client` takes. */
export const clients = { ...desktopHelpers, ...agents, ...agentHelpers, ...tools }

/** The name of a client of helpers in `--client`. */
export type ClientName = keyof typeof clients

/** The names in the order of questions. */
export const clientNames = Object.keys(clients) as ClientName[] // the keys of a constant
