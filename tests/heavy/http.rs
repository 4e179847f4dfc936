//! Pushes over smart HTTP on loopback, through `git http-backend`; and the bigger races.

use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use git_sq_test_support::{
    Team,
    race::{Race, all_have_all, uncontended},
    variables,
};

/// Serves the repositories of a team's world to whoever asks; gives the address of the bare one.
fn serve(team: &Team) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    team.set_on_remote("http.receivepack", "true");
    let root = team.world.root();
    let env = variables(&team.world.command("git"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (root, env) = (root.clone(), env.clone());
            thread::spawn(move || {
                // Who hangs up has what he wanted.
                let _ = answer(stream, root, env);
            });
        }
    });
    format!("http://127.0.0.1:{port}/remote.git")
}

/// Answers one request as RFC 3875 tells a server to run a program.
fn answer(stream: TcpStream, root: PathBuf, env: Vec<(OsString, OsString)>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut git = Command::new("git");
    git.arg("http-backend")
        .env_clear()
        .envs(env)
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REMOTE_ADDR", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "content-type" => drop(git.env("CONTENT_TYPE", value)),
            "content-encoding" => drop(git.env("HTTP_CONTENT_ENCODING", value)),
            "git-protocol" => drop(git.env("GIT_PROTOCOL", value)),
            "expect" => (&stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let body = if chunked {
        chunks(&mut reader)?
    } else {
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        body
    };
    let mut child = git.env("CONTENT_LENGTH", body.len().to_string()).spawn()?;
    let mut input = child.stdin.take();
    let output = thread::scope(|scope| {
        scope.spawn(move || input.take().map(|mut input| input.write_all(&body)));
        child.wait_with_output()
    })?;
    reply(stream, &output.stdout)
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
        let start = body.len();
        body.resize(start + size, 0);
        reader.read_exact(&mut body[start..])?;
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn reply(mut stream: TcpStream, output: &[u8]) -> io::Result<()> {
    let end = output.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) =
        end.map_or((output, &[][..]), |end| (&output[..end + 2], &output[end + 4..]));
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: "));
    let mut text = format!("HTTP/1.1 {}\r\n", status.unwrap_or("200 OK"));
    for line in head.lines().filter(|line| !line.starts_with("Status: ")) {
        text += line;
        text += "\r\n";
    }
    stream.write_all(text.as_bytes())?;
    let length = body.len();
    write!(stream, "Content-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)
}

/// Whether git can speak HTTP here.
fn speaks_http(team: &Team) -> bool {
    let found = PathBuf::from(team.world.git(&["--exec-path"]).ok().trim())
        .join("git-http-backend")
        .exists();
    if !found {
        println!("skipped: this git has no http-backend");
    }
    found
}

fn race(race: Race, http: bool) {
    let team = Team::new();
    if http && !speaks_http(&team) {
        return;
    }
    let url = http.then(|| serve(&team));
    let (raced, dirs) = race.run(&team, url.as_deref(), &[]);
    let lines = all_have_all(&team, &dirs, &raced.sids, raced.sids.len());
    let plain = Team::new();
    let url = http.then(|| serve(&plain));
    let (without, _) = race.run(&plain, url.as_deref(), &["--no-verify"]);
    let [commits, _] = team.log_on_remote();
    println!(
        "{race:?}, http {http}: {lines} lines in {commits} commits, {:.1} s, all there {:.1} s later; without the log {:.1} s; a push took {} ms, without {} ms",
        raced.took.as_secs_f64(),
        raced.settled.as_secs_f64(),
        without.took.as_secs_f64(),
        raced.median().as_millis(),
        without.median().as_millis(),
    );
}

#[test]
fn clones_push_over_files_and_http_to_one_branch_and_to_their_own() {
    for (clones, rounds) in [(12, 5), (24, 8)] {
        for own_branches in [true, false] {
            let crowd = Race { clones, rounds, lasts: Duration::MAX, own_branches };
            race(crowd, false);
            race(crowd, true);
        }
    }
}

#[test]
fn what_a_push_costs_that_nobody_contends() {
    for http in [false, true] {
        let team = Team::new();
        if http {
            if !speaks_http(&team) {
                return;
            }
            let url = serve(&team);
            team.git_ok(&format!("remote set-url origin {url}"));
        }
        let [with, without] = uncontended(&team, &team.clone, 10);
        println!(
            "uncontended, http {http}: a push takes {} ms, without the log {} ms",
            with.as_millis(),
            without.as_millis()
        );
        team.sq(&team.clone, &["sync"]).ok();
        assert_eq!(team.lines_on_remote().len(), 20);
    }
}

/// Git sends big requests in chunks, and small ones packed.
#[test]
fn requests_of_every_form_arrive() {
    let team = Team::new();
    if !speaks_http(&team) {
        return;
    }
    let url = serve(&team);
    team.git_ok(&format!("remote set-url origin {url}"));
    // The least that git can fetch with.
    team.git_ok("config http.postBuffer 65536");
    for number in 0..200 {
        team.world.record_in(&team.clone, &format!("s{number}")).ok();
    }
    team.commit(&team.clone, "more");
    let ran = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 200);
    let other = team.join("other");
    team.git_ok_in(&other, &format!("remote set-url origin {url}"));
    team.world.record_in(&other, "theirs").ok();
    team.sq(&other, &["sync"]).ok();
    assert_eq!(team.lines_on_remote().len(), 201);
}
