"""Asks a verifier as a gateway in another language does: by the definitions that Envoy publishes, compiled by protoc.

Arguments: the descriptors, the address. Standard input: a list of requests, each the headers of a request as pairs, and "raw" or
"map". Standard output: for each, the headers that the model gets, or the answer to the caller, by Envoy's rules."""

import json
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

descriptors, address = sys.argv[1:]
pool = descriptor_pool.DescriptorPool()
with open(descriptors, "rb") as file:
    for definition in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.Add(definition)
factory = message_factory.MessageFactory(pool)
CheckRequest, CheckResponse = (
    factory.GetPrototype(pool.FindMessageTypeByName(f"envoy.service.auth.v3.{name}"))
    for name in ("CheckRequest", "CheckResponse")
)
check = grpc.insecure_channel(address).unary_unary(
    "/envoy.service.auth.v3.Authorization/Check",
    request_serializer=CheckRequest.SerializeToString,
    response_deserializer=CheckResponse.FromString,
)


def create_request(lines, form):
    request = CheckRequest()
    http = request.attributes.request.http
    http.method, http.path, http.host, http.size = "POST", "/v1/messages", "gateway.example", -1
    request.attributes.source.address.socket_address.address = "192.0.2.7"
    request.attributes.metadata_context.filter_metadata["a filter"]["deep"] = {"a": [{"b": True}]}
    for name, value in lines:
        if form == "raw":
            http.header_map.headers.add(key=name, raw_value=value.encode("latin-1"))
        else:
            http.headers[name] = f"{http.headers[name]},{value}" if name in http.headers else value
    return request


def apply_mutations(headers, mutations):
    """As the field append_action is documented in envoy/config/core/v3/base.proto."""
    for option in mutations:
        name, value = option.header.key, option.header.value
        action = option.HeaderAppendAction.Name(option.append_action)
        assert not option.append.value
        if action == "OVERWRITE_IF_EXISTS_OR_ADD":
            headers = [line for line in headers if line[0] != name] + [[name, value]]
        else:
            raise ValueError(action)
    return headers


def describe(lines, response):
    metadata = json_format.MessageToDict(response.dynamic_metadata)
    if response.status.code == grpc.StatusCode.OK.value[0]:
        assert response.WhichOneof("http_response") == "ok_response"
        headers = apply_mutations(lines, response.ok_response.headers)
        removed = set(response.ok_response.headers_to_remove)
        return {"headers": [line for line in headers if line[0] not in removed], "metadata": metadata}
    assert response.WhichOneof("http_response") == "denied_response"
    denied = response.denied_response
    return {
        "grpc": response.status.code,
        "status": denied.status.code,
        "headers": apply_mutations([], denied.headers),
        "body": json.loads(denied.body),
        "metadata": metadata,
    }


answers = []
for lines, form in json.load(sys.stdin):
    answers.append(describe(lines, check(create_request(lines, form), timeout=10)))
print(json.dumps(answers))
