import protobuf from 'protobufjs'

/** The fields that are read and written. The decoder skips all others. */
const kept: Readonly<Record<string, 'whole' | readonly string[]>> = {
  'envoy.service.auth.v3.CheckRequest': 'whole',
  'envoy.service.auth.v3.AttributeContext': ['source', 'request'],
  'envoy.service.auth.v3.AttributeContext.Peer': ['address', 'certificate'],
  'envoy.config.core.v3.Address': ['socketAddress'],
  'envoy.config.core.v3.SocketAddress': ['address'],
  'envoy.service.auth.v3.AttributeContext.Request': ['http'],
  'envoy.service.auth.v3.AttributeContext.HttpRequest': ['method', 'headers', 'headerMap', 'path', 'host', 'scheme'],
  'envoy.config.core.v3.HeaderMap': 'whole',
  'envoy.config.core.v3.HeaderValue': 'whole',
  'envoy.config.core.v3.HeaderValueOption': 'whole',
  'envoy.service.auth.v3.CheckResponse': 'whole',
  'envoy.service.auth.v3.DeniedHttpResponse': 'whole',
  'envoy.service.auth.v3.OkHttpResponse': ['headers', 'headersToRemove'],
  'envoy.type.v3.HttpStatus': 'whole',
  'google.rpc.Status': ['code', 'message'],
  'google.protobuf.Struct': 'whole',
  'google.protobuf.Value': ['stringValue'],
  'google.protobuf.BoolValue': 'whole',
  'grpc.health.v1.HealthCheckRequest': 'whole',
  'grpc.health.v1.HealthCheckResponse': 'whole',
}

/** The messages with a TypeScript type of their own; the others are nested in these. */
const typed = [
  'envoy.service.auth.v3.CheckRequest',
  'envoy.service.auth.v3.CheckResponse',
  'envoy.config.core.v3.HeaderValueOption',
  'google.protobuf.Struct',
  'grpc.health.v1.HealthCheckRequest',
]

/** The enumerations whose names are used. They are encoded as numbers. */
const keptEnums = [
  'envoy.config.core.v3.HeaderValueOption.HeaderAppendAction',
  'grpc.health.v1.HealthCheckResponse.ServingStatus',
]

/**
 * Renders the kept messages as a TypeScript module: their descriptors in the form of `protobufjs`, the enumerations, and the types.
 * @param root The published definitions.
 * @throws for a field whose message is not kept, because it would be skipped silently.
 */
export function renderMessages(root: protobuf.Root): string {
  const types = Object.keys(kept).map((name) => root.lookupType(name))
  const descriptors = new protobuf.Root()
  for (const type of types) descriptors.define(toName(type.parent!)).addJSON({ [type.name]: toDescriptor(type) })
  return `// Written by pkg-scripts/envoy/write-messages.ts from the definitions of Envoy and of gRPC (Apache-2.0). Do not edit it by hand.

/** The messages of \`envoy.service.auth.v3\` and \`grpc.health.v1\`, as far as they are read and written here. */
export const messageDescriptors = ${JSON.stringify(descriptors.toJSON(), null, 2)}

${keptEnums.map((name) => renderEnum(root.lookupEnum(name))).join('\n')}
${typed.map((name) => renderInterface(root.lookupType(name))).join('\n')}`
}

function toName(object: protobuf.ReflectionObject): string {
  return object.fullName.slice(1)
}

function toDescriptor(type: protobuf.Type): protobuf.IType {
  const fields = listFields(type).map((field) => [
    field.name,
    {
      ...(field instanceof protobuf.MapField ? { keyType: field.keyType } : field.repeated && { rule: 'repeated' }),
      type: toType(field),
      id: field.id,
    },
  ])
  return { edition: 'proto3', fields: Object.fromEntries(fields) }
}

/** @throws for a name in the table that the definition lacks. */
function listFields(type: protobuf.Type): protobuf.Field[] {
  const names = kept[toName(type)]
  const found = names === 'whole' ? type.fieldsArray : names!.map((name) => type.get(name) as protobuf.Field | null)
  return found.map((field) => field!.resolve())
}

function toType({ type, resolvedType, fullName }: protobuf.Field): string {
  if (!resolvedType) return type
  if (resolvedType instanceof protobuf.Enum) return 'int32'
  if (toName(resolvedType) in kept) return resolvedType.fullName
  throw new Error(`${fullName} needs ${toName(resolvedType)}, which is not kept`)
}

function renderEnum(object: protobuf.Enum): string {
  const { name, values } = object
  const rows = Object.entries(values).map(([key, value]) => `  ${key}: ${value},\n`)
  return `/** The numbers of \`${toName(object)}\`. */\nexport const ${name[0]!.toLowerCase()}${name.slice(1)} = {\n${rows.join('')}} as const\n`
}

function renderInterface(type: protobuf.Type): string {
  return `/** \`${toName(type)}\` */\nexport interface ${type.name} ${renderMembers(type)}\n`
}

function renderMembers(type: protobuf.Type): string {
  const rows = listFields(type).map((field) => `  readonly ${field.name}?: ${toTypeScript(field)}\n`)
  return `{\n${rows.join('')}}`
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'Uint8Array',
  bool: 'boolean',
  int32: 'number',
}

function toTypeScript(field: protobuf.Field): string {
  const one = toOneType(field)
  if (field instanceof protobuf.MapField) return `Readonly<Record<string, ${one}>>`
  return field.repeated ? `readonly (${one})[]` : one
}

function toOneType(field: protobuf.Field): string {
  if (!(field.resolvedType instanceof protobuf.Type)) return scalars[toType(field)]!
  return typed.includes(toName(field.resolvedType)) ? field.resolvedType.name : renderMembers(field.resolvedType)
}
