import { hasDocument } from '../../../contract/clients/client-traits.ts'
import { allowableHeaders } from '../../../contract/headers.ts'
import { limits } from '../../../contract/limits.ts'
import { describeRun, isHealthy, type OutputFacts, type Run } from '../runs/run.ts'
import { tokenFaults } from '../runs/token-fault.ts'
import { defineRules, fail, pass, type RuleResult, skip, warn } from './rule.ts'

/** What it prints. */
export const outputRules = defineRules({
  'output-size': {
    isFor: hasDocument,
    proves: 'what it prints is not more than a client reads',
    needs: ['exit-status'],
    scenarios: ['background'],
    validate: ([run]) => {
      const bytes = run?.output.bytes ?? 0
      const most = `${limits.stdoutBytes} bytes`
      if (run?.ended.how === 'flooded' || bytes > limits.stdoutBytes)
        return fail(`stdout holds more than ${most}`, 'print the token and nothing else')
      return pass(`${bytes} bytes`)
    },
  },
  'byte-order-mark': {
    isFor: hasDocument,
    proves: 'its output is UTF-8 without a byte order mark',
    needs: ['output-size'],
    scenarios: ['background'],
    validate: ([run]) => {
      const hint = 'write UTF-8 without a byte order mark; in Windows PowerShell 5 do not redirect, use [Console]::Out'
      if (isRefused(run, 'utf-16')) return fail('stdout begins with a UTF-16 byte order mark', hint)
      if (has(run, 'byte-order-mark')) return warn('stdout begins with a UTF-8 byte order mark', hint)
      return pass('no byte order mark')
    },
  },
  'output-alone': {
    isFor: hasDocument,
    proves: 'nothing stands before or after the output',
    needs: ['byte-order-mark'],
    scenarios: ['background'],
    validate: ([run]) => {
      const hint =
        'print nothing else on stdout: what is for people belongs on stderr, and only when something is wrong'
      if (isRefused(run, 'text-after-json')) return fail('text stands after the JSON object', hint)
      if (!run?.output.ok || run.output.fault) return skip('there is no token beside which something could stand')
      if (has(run, 'text-before-json')) return warn('text stands before the JSON object', hint)
      return pass('stdout holds the output alone')
    },
  },
  'output-shape': {
    isFor: hasDocument,
    proves: 'it prints one bare token, or one JSON object with `token`',
    needs: ['output-alone'],
    scenarios: ['background'],
    validate: ([run]) => validateShape(run?.output),
  },
  headers: {
    isFor: hasDocument,
    proves: 'a client can send the headers that it prints',
    needs: ['output-shape'],
    scenarios: ['background'],
    validate: ([run]) => {
      const hint = 'print "headers" as an object of names and strings, and leave out what the client sends itself'
      const output = run?.output
      if (output && !output.ok && isAboutHeaders(output)) return fail(output.message, hint)
      if (!output?.ok) return pass('there are none')
      const { droppedHeaders: [dropped] = [] } = output
      if (dropped !== undefined)
        return warn(`the value of the header ${dropped} is no text, so a client drops it`, hint)
      const unusual = allowableHeaders.find((name) => has(run, name))
      if (unusual) return warn(`the header ${unusual} is one that not every client sends`, unusualHint)
      return pass(output.headers.length > 0 ? output.headers.join(', ') : 'there are none')
    },
  },
  'quiet-stderr': {
    isFor: ({ stderrOnSuccess }) => stderrOnSuccess !== 'dropped',
    proves: 'a run that succeeds writes nothing to stderr, not even in the connection test',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns, client }) => {
      const healthy = allRuns.filter(isHealthy)
      const loud = healthy.filter(({ stderr }) => stderr !== '')
      const [first] = loud
      if (!first) return pass(`silent in ${healthy.length} runs`)
      const line = first.stderr.trim().split('\n')[0]?.slice(0, 160) ?? ''
      return warn(
        `${loud.length} of ${healthy.length} good runs wrote to stderr, first ${first.title}: ${line}`,
        client.stderrOnSuccess === 'shown'
          ? `keep stderr empty on success: ${client.title} shows it to the person each time`
          : 'keep stderr empty on success: the connection test shows a warning otherwise',
      )
    },
  },
})

const unusualHint =
  'try it with your client against the gateway, which refuses a request that lacks it; print it only where a gateway reads it'

function validateShape(output: OutputFacts | undefined): RuleResult {
  if (!output) return fail(describeRun(undefined), shapeHint)
  if (!output.ok) return isAboutHeaders(output) ? pass('one JSON object with a token') : fail(output.message, shapeHint)
  if (output.fault) return fail(tokenFaults[output.fault].seen, tokenFaults[output.fault].hint)
  return pass(`a token of ${output.token.bytes} bytes`)
}

const shapeHint = 'print {"token": "…"} on one line, and the token itself in it'

/** The rule `headers` reports these. */
function isAboutHeaders({ reason }: OutputFacts & { ok: false }): boolean {
  return reason === 'invalid-headers' || reason === 'refused-header'
}

function isRefused(run: Run | undefined, obstacle: 'utf-16' | 'text-after-json'): boolean {
  return run !== undefined && !run.output.ok && run.output.obstacle === obstacle
}

function has(run: Run | undefined, warning: string): boolean {
  return run?.output.ok === true && run.output.warnings.some((other) => other === warning)
}
