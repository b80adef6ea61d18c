import type { Terminal } from '../../terminal.ts'
import type { CheckedDocument } from './checked-document.ts'
import { renderGithub } from './github.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderSarif } from './sarif.ts'
import { renderText } from './text.ts'

type Renderer = (documents: readonly CheckedDocument[], paint: Terminal['paint']) => string

/** How to print what a check has found, by the name of the format. */
export const formatRenderers = {
  text: renderText,
  json: renderJson,
  sarif: renderSarif,
  github: renderGithub,
  junit: renderJunit,
} as const satisfies Record<string, Renderer>

/** The name of a format. */
export type Format = keyof typeof formatRenderers
