import type { TokenVerdict } from '../checks/token-check.ts'
import type { Verified } from './verified.ts'

/** The exit status of each verdict. */
export const verdictStatus: Readonly<Record<TokenVerdict, 0 | 1 | 6>> = {
  good: 0,
  'not judged': 0,
  bad: 1,
  'not found out': 6,
}

/** What `--json` prints. Members are added in later versions, and none is renamed. */
export function toRecord({ verdict, kind, title, bytes, shape, facts, hidden, life, ...rest }: Verified) {
  const { warnings, notes, headers, checks } = rest
  return {
    status: verdictStatus[verdict],
    verdict,
    kind,
    title,
    bytes,
    ...(shape !== undefined && { shape }),
    states: facts,
    notShown: hidden,
    life: {
      issuedAt: toText(life.issuedAt),
      notBefore: toText(life.notBefore),
      expiresAt: toText(life.expiresAt),
    },
    checks,
    headers: headers.map(({ expiresAt, ...header }) => ({ ...header, expiresAt: toText(expiresAt) })),
    warnings,
    notes,
  }
}

function toText(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
