//! A model for coding agents, on loopback: says and calls what a script has, in the four dialects that agents speak, and
//! keeps what it was asked.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// What the model does when it is asked.
pub enum Step {
    /// Runs a command with the agent's shell tool.
    Shell(&'static str),
    /// The same, and says that it was given so many tokens, so that the agent compacts its context.
    Full(u64, &'static str),
    /// Calls a tool by the name, and the namespace, that the agent gives it.
    Tool(&'static str, Value),
    /// Says this, and ends its turn.
    Say(&'static str),
    /// The same after something else happened.
    SayAfter(&'static str, Command),
}

/// In the prompt of the main agent, and in that of its subagent.
pub const MAIN: &str = "MAIN-TASK";
pub const SUB: &str = "SUB-TASK";

/// The model.
#[derive(Clone, Default)]
pub struct Model {
    shared: Arc<Mutex<(VecDeque<Step>, Vec<Value>)>>,
}

impl Model {
    /// Serves; gives its address as well.
    pub fn serve() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let model = Self::default();
        let serving = model.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let model = serving.clone();
                // Who hangs up has what he wanted.
                thread::spawn(move || model.answer(&stream).is_ok());
            }
        });
        (model, url)
    }

    /// Begins a script.
    pub fn play(&self, steps: impl IntoIterator<Item = Step>) {
        *self.shared.lock().unwrap() = (steps.into_iter().collect(), Vec::new());
    }

    /// What the main agent asked since the script began, where a shell was offered.
    pub fn asked(&self) -> Vec<Value> {
        self.asked_by(true)
    }

    /// What a subagent asked.
    pub fn asked_by_sub(&self) -> Vec<Value> {
        self.asked_by(false)
    }

    fn asked_by(&self, main: bool) -> Vec<Value> {
        self.shared.lock().unwrap().1.clone().into_iter().filter(|it| is_main(it) == main).collect()
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        while let Some((path, body)) = request(&mut reader)? {
            let (kind, text) = self.reply(&path, &body);
            let length = text.len();
            let mut stream = stream;
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{text}"
            )?;
        }
        Ok(())
    }

    fn reply(&self, path: &str, body: &Value) -> (&'static str, String) {
        let all = tools(body);
        let length = body.to_string().len() as u64;
        let shell = all.iter().find_map(shell);
        // Qwen Code asks by itself what it should remember.
        let is_aside = body.to_string().contains("memory extraction subagent");
        let step = if shell.is_none() || is_aside {
            Step::Say("ok")
        } else {
            let mut shared = self.shared.lock().unwrap();
            shared.1.push(body.clone());
            if is_main(body) {
                shared.0.pop_front().unwrap_or(Step::Say("done"))
            } else if shared.1.iter().filter(|it| !is_main(it)).count() == 1 {
                Step::Shell("git sq state set --handover from-a-subagent")
            } else {
                Step::Say("done")
            }
        };
        let (mut tokens, mut text, mut call) = (length / 4, "", None);
        match step {
            Step::Say(said) => text = said,
            Step::SayAfter(said, mut first) => {
                assert!(first.status().unwrap().success());
                text = said;
            }
            Step::Tool(name, input) => {
                let found = all
                    .iter()
                    .find(|tool| tool.name == name)
                    .unwrap_or_else(|| panic!("no tool {name}: {body}"));
                call = Some((found.clone(), input));
            }
            Step::Shell(command) | Step::Full(_, command) => {
                if let Step::Full(full, _) = step {
                    tokens = full;
                }
                call = shell.map(|(tool, mut input, key)| {
                    input[key] = json!(command);
                    (tool, input)
                });
            }
        }
        // Gemini CLI asks which model it should take, again and again until it understands the answer.
        if body["generationConfig"]["responseMimeType"] == "application/json" {
            text = r#"{"complexity_reasoning":"none","complexity_score":1,"next_speaker":"user"}"#;
        }
        let path = path.split('?').next().unwrap_or_default();
        let stream = |events| ("text/event-stream", events);
        if path.ends_with("/messages") {
            stream(messages(text, call, tokens))
        } else if path.ends_with("/responses") {
            stream(responses(text, call, tokens))
        } else if path.ends_with("/chat/completions") {
            stream(chat(text, call, tokens))
        } else if path.ends_with(":streamGenerateContent") {
            stream(event(&gemini(text, call, tokens)))
        } else if path.ends_with(":generateContent") {
            ("application/json", gemini(text, call, tokens).to_string())
        } else {
            ("application/json", json!({ "data": [], "models": [] }).to_string())
        }
    }
}

/// The path and the body of the next request.
fn request(reader: &mut impl BufRead) -> io::Result<Option<(String, Value)>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        is_chunked |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while is_chunked {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        body.extend_from_slice(&chunk[..size]);
        is_chunked = size > 0;
    }
    let path = first.split_whitespace().nth(1).unwrap_or_default();
    Ok(Some((path.to_owned(), serde_json::from_slice(&body).unwrap_or_default())))
}

/// A request of a subagent has the words of its own prompt alone.
fn is_main(body: &Value) -> bool {
    let text = body.to_string();
    !text.contains(SUB) || text.contains(MAIN)
}

#[derive(Clone)]
struct Tool {
    name: String,
    schema: Value,
    namespace: Option<String>,
}

/// The tools that a request offers, whatever the dialect.
fn tools(body: &Value) -> Vec<Tool> {
    let mut found = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let namespace = tool["tools"].as_array();
        for function in tool["functionDeclarations"]
            .as_array()
            .or(namespace)
            .map_or(vec![tool], |all| all.iter().collect())
        {
            let function =
                if function["function"].is_object() { &function["function"] } else { function };
            let mut schemas = ["input_schema", "parameters", "parametersJsonSchema"]
                .iter()
                .map(|key| &function[*key]);
            let schema = schemas.find(|it| it.is_object());
            if let (Some(name), Some(schema)) = (function["name"].as_str(), schema) {
                found.push(Tool {
                    name: name.to_owned(),
                    schema: schema.clone(),
                    namespace: namespace.and_then(|_| Some(tool["name"].as_str()?.to_owned())),
                });
            }
        }
    }
    found
}

/// A shell, with what else it has to be given, and the key for its command.
fn shell(tool: &Tool) -> Option<(Tool, Value, &'static str)> {
    if !["Bash", "bash", "exec_command", "run_shell_command"].contains(&&*tool.name) {
        return None;
    }
    let keys = ["command", "cmd"];
    let properties = &tool.schema["properties"];
    let key = keys.into_iter().find(|key| properties[key].is_object())?;
    let required =
        tool.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).map(
            |name| {
                let is_bool = properties[name]["type"] == "boolean";
                let value = if is_bool { json!(false) } else { json!("x") };
                (name.to_owned(), value)
            },
        );
    Some((tool.clone(), Value::Object(required.collect()), key))
}

type Call = Option<(Tool, Value)>;

fn event(data: &Value) -> String {
    let name = data["type"].as_str().map(|name| format!("event: {name}\n"));
    format!("{}data: {data}\n\n", name.unwrap_or_default())
}

fn events(all: &[Value]) -> String {
    all.iter().map(event).collect()
}

fn messages(text: &str, call: Call, tokens: u64) -> String {
    let usage = json!({ "input_tokens": tokens, "output_tokens": 5 });
    let (block, delta, stop) = match call {
        Some((tool, input)) => (
            json!({ "type": "tool_use", "id": id("toolu"), "name": tool.name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
        None => (
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
    };
    let message = json!({
        "id": id("msg"), "type": "message", "role": "assistant", "model": "fake", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    events(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ])
}

fn responses(text: &str, call: Call, tokens: u64) -> String {
    let item = match call {
        Some((tool, input)) => {
            let mut item = json!({
                "type": "function_call", "id": id("fc"), "call_id": id("call"), "status": "completed",
                "name": tool.name, "arguments": input.to_string(),
            });
            if let Some(namespace) = tool.namespace {
                item["namespace"] = namespace.into();
            }
            item
        }
        None => json!({
            "type": "message", "id": id("msg"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
    };
    let usage = json!({
        "input_tokens": tokens, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 5, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": tokens + 5,
    });
    let response = |status: &str, output: Value| {
        json!({
            "id": "resp_1", "object": "response", "model": "fake", "status": status,
            "output": output, "usage": usage,
        })
    };
    events(&[
        json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": response("completed", json!([item])) }),
    ])
}

fn chat(text: &str, call: Call, tokens: u64) -> String {
    let (delta, end) = match call {
        Some((tool, input)) => {
            let function = json!({ "name": tool.name, "arguments": input.to_string() });
            let call =
                json!({ "index": 0, "id": id("call"), "type": "function", "function": function });
            (json!({ "role": "assistant", "tool_calls": [call] }), "tool_calls")
        }
        None => (json!({ "role": "assistant", "content": text }), "stop"),
    };
    let chunk = |choices: Value| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake",
            "choices": choices,
        })
    };
    let said = chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]));
    let mut ended = chunk(json!([{ "index": 0, "delta": {}, "finish_reason": end }]));
    ended["usage"] = json!({
        "prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5,
    });
    events(&[said, ended]) + "data: [DONE]\n\n"
}

fn gemini(text: &str, call: Call, tokens: u64) -> Value {
    let part = match call {
        Some((tool, input)) => json!({
            "functionCall": { "name": tool.name, "args": input }, "thoughtSignature": "c2tpcA==",
        }),
        None => json!({ "text": text }),
    };
    json!({
        "candidates": [{
            "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0,
        }],
        "usageMetadata": { "promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5 },
    })
}

/// An id that no other call has.
fn id(prefix: &str) -> String {
    format!("{prefix}_{}", ulid::Ulid::generate())
}
