import { expect, test } from 'vitest'
import { renderManual } from '../../../../pkg-scripts/release/shared/manual.ts'
import { version } from '../../../../src/version.ts'

test('a page shows a synopsis as it is typed, and takes no text for a request', () => {
  const sections = [
    { title: 'SYNOPSIS', example: 'a-b [OPTIONS]\n.profile' },
    { title: 'OPTIONS', terms: [{ term: '-r, --region TEXT', meaning: ['a \\path', '.begins with a dot'] }] },
  ]
  expect(renderManual({ name: 'a-b', summary: 'say "it"' }, sections, new Date(0))).toBe(
    `.TH A\\-B 1 1970-01-01 "Gatepass ${version}" "Gatepass"
.SH NAME
a\\-b \\- say \\(dqit\\(dq
.SH "SYNOPSIS"
.nf
a\\-b [OPTIONS]
\\&.profile
.fi
.SH "OPTIONS"
.TP
\\fB\\-r, \\-\\-region\\fR TEXT
a \\epath
.br
\\&.begins with a dot
`,
  )
})
