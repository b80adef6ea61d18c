import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import protobuf from 'protobufjs'
import { fromJsonString, toJson } from 'protobufjs/ext/protojson.js'

const protocol = join(dirname(createRequire(import.meta.url).resolve('@platformatic/promotel')), '../proto')

/** Returns a message of OpenTelemetry's published protocol definition, by its full name. */
function lookUp(name: string): protobuf.Type {
  const root = new protobuf.Root()
  root.resolvePath = (_, target) => join(protocol, target)
  const path = name.split('.').slice(0, -1).join('/')
  return root.loadSync(`${path}/${path.split('/').at(-2)}_service.proto`).lookupType(name)
}

const request = lookUp('opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest')

const traceRequest = lookUp('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest')

/**
 * Refuses a request of spans that the protocol definition does not know. Ids are hexadecimal in OTLP, which differs from the JSON of the definition.
 * @throws an error.
 */
export function checkTraceRequest(text: string): void {
  fromJsonString(traceRequest, text)
}

/**
 * Returns the meaning of a request by the protocol definition, in the form that the definition's own JSON has.
 * @throws an error for a field that the definition does not know, and for a value of another type.
 */
export function decodeMetricsRequest(text: string): unknown {
  return toJson(request, fromJsonString(request, text))
}
