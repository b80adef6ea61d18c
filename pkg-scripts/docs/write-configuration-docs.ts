// Folder: pages and test data made from the sources and the specification.

import { mkdirSync, writeFileSync } from 'node:fs'
import { renderConfigurationDocs } from './configuration-page.ts'

/** Writes the generated page `docs/configuration.md`; a test fails while the page is out of date. */
mkdirSync(new URL('../../docs/', import.meta.url), { recursive: true })
writeFileSync(new URL('../../docs/configuration.md', import.meta.url), renderConfigurationDocs())
