// Folder: the messages of Envoy's external authorization, made from the definitions that Envoy and gRPC have published.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'
import { downloadDefinitions } from './download-definitions.ts'
import { renderMessages } from './render-messages.ts'

/** Writes the module of messages; a test fails while the module differs. */
const path = join(root, 'src/verify/server/envoy-messages.ts')
writeFileSync(path, renderMessages(await downloadDefinitions()))
execFileSync('npx', ['biome', 'format', '--write', path], { stdio: 'inherit' })
