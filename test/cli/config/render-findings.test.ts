import { DOMParser } from '@xmldom/xmldom'
import { describe, expect, test } from 'vitest'
import { formatRenderers } from '../../../src/cli/config/render-findings.ts'
import type { CheckedDocument } from '../../../src/cli/show-findings.ts'
import { version } from '../../../src/version.ts'

const hostile = 'a,b:c%\r\n::error::"<&>]]>\x1b\ud800'

const documents: readonly CheckedDocument[] = [
  {
    source: 'dir/a b,%.json',
    status: 1,
    findings: [
      { path: 'x["é"]', code: 'wrong-type', severity: 'error', message: hostile, hint: 'fix it', line: 3, column: 7 },
      { path: '', code: 'byte-order-mark', severity: 'warning', message: 'a mark', hint: '', line: 1 },
      { path: 'y', code: 'redirect-localhost', severity: 'info', message: 'a note', hint: '' },
    ],
    conclusion: 'This document does not work.',
  },
  { source: '-', status: 0, findings: [], conclusion: 'This document works.' },
]

const render = (format: keyof typeof formatRenderers, checked = documents) =>
  formatRenderers[format](checked, (_style, text) => text)

test('GitHub reads annotations back as they were, and runs no command in their text', () => {
  expect(render('github').split('\n')).toEqual([
    '::error file=dir/a b%2C%25.json,line=3,col=7,title=wrong-type::x["é"]: a,b:c%25%0D%0A::error::"<&>]]>\x1b\ud800%0Afix it',
    '::warning file=dir/a b%2C%25.json,line=1,title=byte-order-mark::a mark',
    '::notice file=dir/a b%2C%25.json,title=redirect-localhost::y: a note',
    'checked dir/a b,%.json: This document does not work.',
    'checked -: This document works.',
    '',
  ])
})

describe('JUnit', () => {
  const toCase = (attributes: string, content: string) => `    <testcase classname=${attributes}>${content}</testcase>`
  const words = 'a,b:c% ::error::&quot;&lt;&amp;&gt;]]&gt;'

  test('gets a case for each finding, and a passed one for a document without any', () => {
    expect(render('junit').split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="4" failures="1">',
      '  <testsuite name="dir/a b,%.json" tests="3" failures="1">',
      toCase(
        '"dir/a b,%.json" name="x[&quot;é&quot;] wrong-type"',
        `<failure type="wrong-type" message="${words}\\u001b\ufffd">dir/a b,%.json:3:7 x[&quot;é&quot;]: ${words}\\u001b\ufffd (fix it)</failure>`,
      ),
      toCase('"dir/a b,%.json" name="byte-order-mark"', '<system-out>warning: dir/a b,%.json:1:1 a mark</system-out>'),
      toCase('"dir/a b,%.json" name="y redirect-localhost"', '<system-out>info: dir/a b,%.json y: a note</system-out>'),
      '  </testsuite>',
      '  <testsuite name="-" tests="1" failures="0">',
      '    <testcase classname="-" name="This document works."/>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ])
    const onError = (level: string, message: string) => {
      if (level !== 'warning') throw new Error(message)
    }
    const { documentElement } = new DOMParser({ onError }).parseFromString(render('junit'), 'text/xml')
    expect(documentElement?.getElementsByTagName('testcase').length).toBe(4)
  })

  test('counts warnings as failures where they alone decided', () => {
    const [{ findings, ...rest }] = documents as [CheckedDocument]
    const strict = { ...rest, findings: findings.slice(1) }
    expect(render('junit', [strict])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1">
  <testsuite name="dir/a b,%.json" tests="2" failures="1">
    <testcase classname="dir/a b,%.json" name="byte-order-mark"><failure type="byte-order-mark" message="a mark">dir/a b,%.json:1:1 a mark</failure></testcase>
    <testcase classname="dir/a b,%.json" name="y redirect-localhost"><system-out>info: dir/a b,%.json y: a note</system-out></testcase>
  </testsuite>
</testsuites>
`)
    expect(render('junit', [{ ...strict, status: 0 }])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="0">
  <testsuite name="dir/a b,%.json" tests="2" failures="0">
    <testcase classname="dir/a b,%.json" name="byte-order-mark"><system-out>warning: dir/a b,%.json:1:1 a mark</system-out></testcase>
    <testcase classname="dir/a b,%.json" name="y redirect-localhost"><system-out>info: dir/a b,%.json y: a note</system-out></testcase>
  </testsuite>
</testsuites>
`)
  })
})

test('SARIF holds the URI of the file, the rule and the place', () => {
  const rule = (id: string, level: string) => ({
    id,
    shortDescription: { text: `${id.replaceAll('-', ' ')}.` },
    fullDescription: { text: expect.stringMatching(/^\w.*\.$/) },
    help: { text: expect.stringMatching(/^\w.*\.$/) },
    defaultConfiguration: { level },
  })
  const at = (region: object) => ({ artifactLocation: { uri: 'dir/a%20b%2C%25.json' }, region })
  const { runs, ...rest } = JSON.parse(render('sarif'))
  expect(rest).toEqual({
    version: '2.1.0',
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
  })
  expect(runs).toEqual([
    {
      tool: {
        driver: {
          name: 'gatepass',
          version,
          semanticVersion: version,
          rules: [rule('byte-order-mark', 'warning'), rule('redirect-localhost', 'note'), rule('wrong-type', 'error')],
        },
      },
      columnKind: 'utf16CodeUnits',
      invocations: [{ executionSuccessful: true, exitCode: 1 }],
      results: [
        {
          ruleIndex: 2,
          ruleId: 'wrong-type',
          level: 'error',
          message: { text: `x["é"]: ${hostile}. To fix it: fix it.` },
          locations: [
            {
              physicalLocation: at({ startLine: 3, startColumn: 7 }),
              logicalLocations: [{ fullyQualifiedName: 'x["é"]', kind: 'member' }],
            },
          ],
        },
        {
          ruleIndex: 0,
          ruleId: 'byte-order-mark',
          level: 'warning',
          message: { text: 'a mark.' },
          locations: [{ physicalLocation: at({ startLine: 1 }) }],
        },
        {
          ruleIndex: 1,
          ruleId: 'redirect-localhost',
          level: 'note',
          message: { text: 'y: a note.' },
          locations: [
            {
              physicalLocation: at({ startLine: 1 }),
              logicalLocations: [{ fullyQualifiedName: 'y', kind: 'member' }],
            },
          ],
        },
      ],
    },
  ])
})
